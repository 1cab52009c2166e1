import { Transient } from '@postmesh/contracts';
import { Kafka, logLevel, type LogEntry, type Producer, type SASLOptions } from 'kafkajs';
import { MAX_EVENT_BYTES, type BusLogger } from '../event-bus.port.js';

export interface KafkaLogin {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

export interface KafkaBusOptions {
  /** `host:port` of the first brokers to ask */
  brokers: readonly string[];
  /** Shown in the brokers' logs and quotas, e.g. the service's name. */
  clientId: string;
  logger?: BusLogger;
  /** Put before every topic and group name, so that two installations can share one cluster; default none. */
  prefix?: string;
  /** Copies of every partition in topics that this driver makes; default: the cluster's own default. */
  replicationFactor?: number;
  /** A member silent for so long loses its partitions; default 10,000 ms (brokers accept 6,000 and more). */
  sessionTimeoutMs?: number;
  /** TLS: `true` with the well-known CAs, else with these (PEM). */
  ssl?: boolean | { ca: string };
  sasl?: KafkaLogin;
}

/** About five seconds in all: then the call fails, and the caller retries by its own rules. */
export const BROKER_RETRY = { initialRetryTime: 200, maxRetryTime: 2_000, retries: 4 };

/** One client; producer, admin and consumers each open connections of their own from it. */
export function kafkaClient(options: KafkaBusOptions, logger: BusLogger): Kafka {
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    ssl: typeof options.ssl === 'object' ? { ca: [options.ssl.ca] } : options.ssl,
    // a copy: the client keeps a provider with the password in the object, which would win over another one in a copy of it
    sasl: options.sasl && ({ ...options.sasl } as SASLOptions),
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry: BROKER_RETRY,
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => report(logger, entry),
  });
}

// The client retries most of what its connections report, and these say so at the level "error".
const CHATTY = new Set(['Connection', 'BrokerPool', 'RequestQueue']);

function report(logger: BusLogger, { namespace, level, log }: LogEntry): void {
  const { message, logger: _name, timestamp: _time, stack: _stack, ...fields } = log;
  const about = { event: 'kafka.reported', ...fields, kafka: namespace };
  if (level === logLevel.ERROR && !CHATTY.has(namespace)) logger.warn(about, `kafka: ${message}`);
  else logger.debug(about, `kafka: ${message}`);
}

/** Runs the work; what the brokers refuse or do not answer is the world being unwell. */
export async function onBrokers<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Transient(`kafka could not ${what}: ${reason}`, undefined, { cause: error });
  }
}

export interface TopicRecord {
  topic: string;
  key: string;
  value: string;
}

const ALL_REPLICAS = -1;

/**
 * Sends records in their order, in one request as a rule. A broker bounds what one request may bring to a partition,
 * and all may have one key: more than that goes in several requests, one after another.
 */
export async function sendRecords(producer: Producer, records: readonly TopicRecord[]): Promise<void> {
  for (const chunk of inChunks(records)) {
    const topicMessages = [...byTopic(chunk)].map(([topic, messages]) => ({ topic, messages }));
    await onBrokers('publish', () => producer.sendBatch({ acks: ALL_REPLICAS, topicMessages }));
  }
}

function byTopic(records: readonly TopicRecord[]): Map<string, { key: string; value: string }[]> {
  const topics = new Map<string, { key: string; value: string }[]>();
  for (const { topic, key, value } of records) {
    const messages = topics.get(topic);
    if (messages) messages.push({ key, value });
    else topics.set(topic, [{ key, value }]);
  }
  return topics;
}

function* inChunks(records: readonly TopicRecord[]): Generator<TopicRecord[]> {
  let chunk: TopicRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(record.value);
    if (chunk.length > 0 && bytes + size > MAX_EVENT_BYTES) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(record);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
