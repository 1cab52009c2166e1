import { withTimeout } from '@postmesh/concurrency';
import type { Stream } from '@postmesh/contracts';
import type { Admin } from 'kafkajs';
import type { StreamMarks } from '../event-bus.port.js';
import { onBrokers } from './kafka-client.js';
import type { Topics } from './topics.js';

const SUFFIX = '.stream-marks';
const PARTITION = 0;
const WRITE_MS = 30_000;

/** Whether a consumer group is none: its offsets are marks. */
export const isOfMarks = (groupId: string): boolean => groupId.endsWith(SUFFIX);

/**
 * A mark is an offset that a group without members has committed: brokers delete it together with the topic. Its
 * number refers to no event. Where committed offsets expire (`offsets.retention.minutes`, a week by default) marks
 * do.
 */
export class KafkaStreamMarks implements StreamMarks {
  constructor(
    private readonly admin: Admin,
    private readonly topics: Topics,
  ) {}

  read(publisher: string, stream: Stream): Promise<number | undefined> {
    return onBrokers('read a mark', async () => {
      const topic = this.topics.nameOf(stream);
      const [committed] = await this.admin.fetchOffsets({
        groupId: this.groupOf(publisher),
        topics: [topic],
      });
      const offset = committed?.partitions.find(({ partition }) => partition === PARTITION)?.offset;
      const mark = Number(offset ?? -1);
      return mark < 0 ? undefined : mark;
    });
  }

  write(publisher: string, stream: Stream, mark: number): Promise<void> {
    const groupId = this.groupOf(publisher);
    const partitions = [{ partition: PARTITION, offset: String(mark) }];
    return onBrokers('write a mark', () =>
      this.topics.withAdmin((admin) =>
        // the client waits for ever where the topic vanishes meanwhile
        withTimeout(
          admin.setOffsets({ groupId, topic: this.topics.nameOf(stream), partitions }),
          WRITE_MS,
          'the mark',
        ),
      ),
    );
  }

  private groupOf(publisher: string): string {
    return this.topics.groupOf(`${publisher}${SUFFIX}`);
  }
}
