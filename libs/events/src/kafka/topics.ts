import { setTimeout as pause } from 'node:timers/promises';
import { SingleFlight } from '@postmesh/concurrency';
import { PARTITIONS_PER_STREAM, STREAMS, type Stream } from '@postmesh/contracts';
import type { Admin, Kafka } from 'kafkajs';
import type { BusLogger } from '../event-bus.port.js';
import { onBrokers } from './kafka-client.js';

const LEADERS_MS = 15_000;
const LEADERS_PAUSE_MS = 50;
// The time between the loss of a topic and its creation. Every member fetches several times in it (FETCH_WAIT_MS), so
// none continues at an offset of the old topic: it joins again, and the brokers, which delete the offsets of a
// deleted
// topic, have it begin at the first event.
const REMAKE_PAUSE_MS = 2_000;

/**
 * Names of topics and groups, and the topics themselves: created when they are missing, never changed. A topic that
 * is lost later (deleted, or its broker was wiped) is created again by the first publisher or group member that
 * misses it.
 */
export class Topics {
  private areKnown = false;
  private readonly seen = new Set<string>();
  private readonly making = new SingleFlight<'all', void>();

  constructor(
    private readonly kafka: Kafka,
    private readonly prefix: string,
    private readonly replicationFactor: number,
    private readonly logger: BusLogger,
  ) {}

  nameOf(stream: Stream): string {
    return `${this.prefix}${stream}`;
  }

  groupOf(name: string): string {
    return `${this.prefix}${name}`;
  }

  streamOf(topic: string): Stream | undefined {
    return STREAMS.find((stream) => this.nameOf(stream) === topic);
  }

  /** @returns the name of the stream, also of one that only another release has; undefined: none of this installation */
  nameWithin(topic: string): string | undefined {
    return topic.startsWith(this.prefix) ? topic.slice(this.prefix.length) : undefined;
  }

  /**
   * Resolves when the topics of all streams exist, as far as is known: the first process of a new installation makes those
   * of the others, too.
   * @throws Transient when the brokers do not make them
   */
  async ensure(): Promise<void> {
    if (!this.areKnown) await this.makeAll();
  }

  /** A broker reported a failure: the next publish or join first checks that all topics exist. */
  doubt(): void {
    this.areKnown = false;
  }

  private makeAll(): Promise<void> {
    return this.making.run('all', () =>
      onBrokers('make topics', () => this.withAdmin((admin) => this.make(admin))),
    );
  }

  /** With a client of its own: a client that has used a topic fails in every call once that topic is gone. */
  async withAdmin(work: (admin: Admin) => Promise<void>): Promise<void> {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      await work(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  private async make(admin: Admin): Promise<void> {
    const names = STREAMS.map((stream) => this.nameOf(stream));
    const missing = await absentOf(admin, names);
    const gone = missing.filter((topic) => this.seen.has(topic));
    if (gone.length > 0 || (missing.length > 0 && (await this.hasGroups(admin)))) {
      this.logger.error(
        { event: 'topics.vanished', topics: missing },
        'event bus: topics are missing and made again; events in them are lost to those that had not handled them',
      );
      await pause(REMAKE_PAUSE_MS);
    }
    if (missing.length > 0) await this.create(admin, missing);
    for (const topic of names) {
      await untilLed(admin, topic);
      this.seen.add(topic);
    }
    this.areKnown = true;
  }

  /** An installation without topics is new if it has no groups: members of its processes may read the topics of before. */
  private async hasGroups(admin: Admin): Promise<boolean> {
    const { groups } = await admin.listGroups();
    return groups.some(({ groupId }) => groupId.startsWith(this.groupOf('')));
  }

  /** Another process may make them at the same moment: the answer is then "not created", which is as good. */
  private async create(admin: Admin, names: readonly string[]): Promise<void> {
    const topics = names.map((topic) => ({
      topic,
      numPartitions: PARTITIONS_PER_STREAM,
      replicationFactor: this.replicationFactor,
    }));
    await admin.createTopics({ topics, waitForLeaders: false });
  }
}

async function absentOf(admin: Admin, names: readonly string[]): Promise<string[]> {
  const present = new Set(await admin.listTopics());
  return names.filter((name) => !present.has(name));
}

/**
 * Resolves when every partition of the topic has a leader that knows it. Brokers learn of a new topic one after another
 * after it was made (KRaft): the client's own wait fails on that, and a request that meets it is repeated whole, which
 * writes the events of the partitions that were ready twice.
 */
async function untilLed(admin: Admin, topic: string): Promise<void> {
  const end = performance.now() + LEADERS_MS;
  for (;;) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(LEADERS_PAUSE_MS);
    }
  }
}
