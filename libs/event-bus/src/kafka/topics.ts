import { setTimeout as pause } from 'node:timers/promises';
import { PARTITIONS_PER_STREAM, STREAMS, type Stream } from '@postmesh/contracts';
import type { Admin, ITopicConfig } from 'kafkajs';
import { onBrokers } from './kafka-client.js';

const LEADERS_MS = 15_000;
const LEADERS_PAUSE_MS = 50;

/** Names of topics and groups, and the topics themselves: made when they are missing, never changed. */
export class Topics {
  private readonly known = new Set<string>();

  constructor(
    private readonly admin: Admin,
    private readonly prefix: string,
    private readonly replicationFactor: number,
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

  /** Resolves when the streams' topics exist. */
  async ensure(streams: readonly Stream[]): Promise<void> {
    await this.make(
      [...new Set(streams)].map((stream) => ({
        topic: this.nameOf(stream),
        numPartitions: PARTITIONS_PER_STREAM,
        replicationFactor: this.replicationFactor,
      })),
    );
  }

  private async make(wanted: readonly ITopicConfig[]): Promise<void> {
    const unknown = wanted.filter(({ topic }) => !this.known.has(topic));
    if (unknown.length === 0) return;
    const { admin } = this;
    const present = new Set(await onBrokers('list topics', () => admin.listTopics()));
    const topics = unknown.filter(({ topic }) => !present.has(topic));
    // Another process may make them at the same moment: the answer is then "not created", which is as good.
    if (topics.length > 0) {
      await onBrokers('create topics', () => admin.createTopics({ topics, waitForLeaders: false }));
    }
    for (const { topic } of unknown) await onBrokers('reach a new topic', () => untilLed(admin, topic));
    for (const { topic } of unknown) this.known.add(topic);
  }
}

/**
 * Resolves when every partition of the topic has a leader that knows it. Brokers learn of a new topic one after another
 * after it was made (KRaft): the client's own wait fails on that, and a request that meets it is repeated whole, which
 * writes the events of the partitions that were ready twice.
 */
async function untilLed(admin: Admin, topic: string): Promise<void> {
  const end = Date.now() + LEADERS_MS;
  for (;;) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(LEADERS_PAUSE_MS);
    }
  }
}
