import type { EventEnvelope } from '@postmesh/contracts';
import { Partitioners, type Admin, type Kafka, type Producer } from 'kafkajs';
import {
  silentLogger,
  type BusLogger,
  type EventBus,
  type GroupLag,
  type RunningSubscription,
  type Subscription,
} from '../event-bus.port.js';
import { toEventText } from '../event-text.js';
import { groupLag } from './group-lag.js';
import { kafkaClient, onBrokers, sendRecords, type KafkaBusOptions } from './kafka-client.js';
import { KafkaConsumer } from './kafka-consumer.js';
import { KafkaStreamMarks } from './stream-marks.js';
import { Topics } from './topics.js';

const DEFAULT_SESSION_MS = 10_000;
// The brokers' own default (KIP-464).
const CLUSTER_DEFAULT = -1;

export async function createKafkaBus(options: KafkaBusOptions): Promise<EventBus> {
  const bus = new KafkaBus(options);
  try {
    await bus.open();
  } catch (error) {
    await bus.close();
    throw error;
  }
  return bus;
}

class KafkaBus implements EventBus {
  readonly marks: KafkaStreamMarks;
  private readonly logger: BusLogger;
  private readonly kafka: Kafka;
  private readonly producer: Producer;
  private readonly admin: Admin;
  private readonly topics: Topics;
  private readonly consumers = new Set<KafkaConsumer>();
  private closing: Promise<void> | undefined;
  private publishes = true;

  constructor(private readonly options: KafkaBusOptions) {
    this.logger = options.logger ?? silentLogger;
    this.kafka = kafkaClient(options, this.logger);
    this.producer = this.kafka.producer({
      allowAutoTopicCreation: false,
      // One request at a time keeps the order of a key over the client's own retries.
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    this.admin = this.kafka.admin();
    this.topics = new Topics(
      this.kafka,
      options.prefix ?? '',
      options.replicationFactor ?? CLUSTER_DEFAULT,
      this.logger,
    );
    this.marks = new KafkaStreamMarks(this.admin, this.topics);
  }

  async open(): Promise<void> {
    await onBrokers('connect', async () => {
      await Promise.all([this.producer.connect(), this.admin.connect()]);
      // a client without the login that brokers want connects, and is cut off with its first request
      await this.admin.listTopics();
    });
  }

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    if (events.length === 0) return;
    const records = events.map((event) => ({
      topic: this.topics.nameOf(event.stream),
      key: event.key,
      value: toEventText(event),
    }));
    try {
      await this.topics.ensure();
      await sendRecords(this.producer, records);
      this.publishes = true;
    } catch (error) {
      this.publishes = false;
      this.topics.doubt();
      throw error;
    }
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    if (this.closing) throw new Error('the event bus is closed');
    const consumer = new KafkaConsumer(subscription, this.kafka, this.topics, {
      sessionTimeoutMs: this.options.sessionTimeoutMs ?? DEFAULT_SESSION_MS,
      logger: this.logger,
    });
    this.consumers.add(consumer);
    await consumer.start();
    return {
      ready: () => consumer.ready(),
      holds: () => consumer.holds(),
      stop: async () => {
        await consumer.stop();
        this.consumers.delete(consumer);
      },
    };
  }

  lag(): Promise<GroupLag[]> {
    return onBrokers('tell the lag', () => groupLag(this.admin, this.topics));
  }

  ready(): boolean {
    return !this.closing && this.publishes && [...this.consumers].every((consumer) => consumer.ready());
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await Promise.all([...this.consumers].map((consumer) => consumer.stop()));
    await Promise.allSettled([this.producer.disconnect(), this.admin.disconnect()]);
  }
}
