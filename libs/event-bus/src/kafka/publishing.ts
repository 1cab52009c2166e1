import type { Producer } from 'kafkajs';
import { MAX_EVENT_BYTES } from '../event-bus.port.js';
import { onBrokers } from './kafka-client.js';

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
