import { endsWithin, Signal } from '@postmesh/concurrency';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import {
  DEFAULT_BATCH,
  type BusLogger,
  type ReceivedEvent,
  type RunningSubscription,
  type Subscription,
} from '../event-bus.port.js';
import { redeliveryPauseMs } from '../redelivery.js';
import { BROKER_RETRY } from './kafka-client.js';
import { MergedBatches } from './merged-batches.js';
import { ReplacedTopics } from './replaced-topics.js';
import type { Topics } from './topics.js';

const HEARTBEAT_MS = 1_000;
// An idle member learns of a rebalance between two fetches: this is how long one may take.
const FETCH_WAIT_MS = 500;
const REBALANCE_MS = 60_000;
const STOP_TIMEOUT_MS = 8_000;
// A member that neither fetches nor handles is stuck, whatever its client believes.
const SILENCE_MS = 45_000;

/** One member of a consumer group. A client that crashes or falls silent is replaced by a new one, for ever. */
export class KafkaConsumer implements RunningSubscription {
  private assignment: string[] = [];
  private isJoined = false;
  private stopped = false;
  private stopping: Promise<void> | undefined;
  private lastSign = performance.now();
  private readonly over = new Signal();
  private running: Promise<void> = Promise.resolve();
  private merged: MergedBatches | undefined;
  private joined: () => void = () => undefined;

  constructor(
    private readonly subscription: Subscription,
    private readonly kafka: Kafka,
    private readonly topics: Topics,
    private readonly options: { sessionTimeoutMs: number; logger: BusLogger },
  ) {}

  /** Resolves when the member has joined its group, however long the brokers take to come back. */
  start(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.joined = resolve;
    });
    this.running = this.run();
    return joined;
  }

  ready(): boolean {
    return this.isJoined && !this.stopped;
  }

  holds(): string[] {
    return [...this.assignment];
  }

  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    this.stopped = true;
    this.merged?.stop();
    this.over.raise();
    this.joined();
    if (!(await endsWithin(this.running, STOP_TIMEOUT_MS))) {
      this.options.logger.warn(
        { event: 'group.left_early', group: this.subscription.group },
        'event bus: gave up waiting for a running batch',
      );
    }
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stopped;) {
      const begun = performance.now();
      const reason = await this.live();
      if (this.stopped) return;
      this.topics.doubt();
      failures = performance.now() - begun > SILENCE_MS ? 1 : failures + 1;
      const pauseMs = redeliveryPauseMs(failures);
      const { group } = this.subscription;
      this.options.logger.error(
        { event: 'group.consumer_ended', err: reason, group, pauseMs },
        'event bus: the consumer ended; a new one follows',
      );
      await this.pause(pauseMs);
    }
  }

  private async pause(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (!this.stopped && performance.now() < end) await this.over.wait(end - performance.now());
  }

  /** The life of one client. @returns why it ended */
  private async live(): Promise<unknown> {
    const replaced = new ReplacedTopics(this.topics, this.topics.groupOf(this.subscription.group));
    const consumer = this.newConsumer(replaced);
    let reason: unknown;
    const fail = (error: unknown): void => {
      reason ??= error;
      this.over.raise();
    };
    consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));
    consumer.on(consumer.events.GROUP_JOIN, () => void replaced.joined().catch(fail));
    try {
      await this.begin(consumer, replaced);
      while (!this.stopped && reason === undefined) {
        await this.over.wait(HEARTBEAT_MS);
        if (this.isJoined) await replaced.check();
        if (performance.now() - this.lastSign > SILENCE_MS) reason = new Error(`silent for ${SILENCE_MS} ms`);
      }
    } catch (error) {
      reason ??= error;
    }
    this.isJoined = false;
    this.merged?.stop();
    await consumer.disconnect().catch(() => undefined);
    this.assignment = [];
    return reason;
  }

  private newConsumer(replaced: ReplacedTopics): Consumer {
    const consumer = this.kafka.consumer({
      groupId: this.topics.groupOf(this.subscription.group),
      sessionTimeout: this.options.sessionTimeoutMs,
      rebalanceTimeout: REBALANCE_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      // Restarting is ours: the client gives up on errors that it deems final.
      retry: { ...BROKER_RETRY, restartOnFailure: () => Promise.resolve(false) },
    });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => this.hasJoined(payload.memberAssignment));
    consumer.on(consumer.events.FETCH, () => {
      replaced.fetched();
      this.alive();
    });
    return consumer;
  }

  private async begin(consumer: Consumer, replaced: ReplacedTopics): Promise<void> {
    const { group, streams, maxBatch, handle } = this.subscription;
    this.alive();
    await this.topics.ensure();
    const merged = new MergedBatches({
      maxBatch: maxBatch ?? DEFAULT_BATCH,
      heartbeatMs: HEARTBEAT_MS,
      handle,
      receive: (payload, index) => this.receive(payload, index),
      beforeCommit: () => replaced.beforeCommit(),
      committed: (topic, partition) => replaced.hasCommitted(topic, partition),
      alive: () => this.alive(),
      logger: this.options.logger,
      group,
    });
    this.merged = merged;
    await consumer.connect();
    await consumer.subscribe({
      topics: streams.map((stream) => this.topics.nameOf(stream)),
      fromBeginning: true,
    });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      // All partitions of a fetch at once: only then can they be merged.
      partitionsConsumedConcurrently: 1_000,
      eachBatch: (payload) => merged.accept(payload),
    });
  }

  private hasJoined(assignment: Record<string, number[]>): void {
    this.assignment = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => `${this.topics.streamOf(topic) ?? topic}/${partition}`),
    );
    this.isJoined = true;
    this.alive();
    this.joined();
    const { group } = this.subscription;
    this.options.logger.info(
      { event: 'group.joined', group, partitions: this.assignment.length },
      'event bus: joined the group',
    );
  }

  private alive(): void {
    this.lastSign = performance.now();
  }

  private receive({ batch }: EachBatchPayload, index: number): ReceivedEvent {
    const message = batch.messages[index];
    const stream = this.topics.streamOf(batch.topic);
    if (!message || !stream) throw new Error(`no message ${index} of ${batch.topic}`);
    const at = `${stream}/${batch.partition}/${message.offset}`;
    return { stream, at, text: message.value?.toString() ?? '', mayRepeat: true };
  }
}
