import { Stream, type FailureKind } from '@postmesh/contracts';
import type { Admin, Kafka, Producer } from 'kafkajs';
import { z } from 'zod';
import type { BuriedEvent, DeadLetter } from '../dead-letter.js';
import { REPLAY_AT_ONCE, type DeadLetterQuery } from '../event-bus.port.js';
import { keyOf } from '../event-text.js';
import { onBrokers } from './kafka-client.js';
import { LiveLetters } from './live-letters.rules.js';
import { sendRecords } from './publishing.js';
import { readTopic } from './topic-reader.js';
import type { Topics } from './topics.js';

const Letter = z.object({
  id: z.string(),
  stream: Stream,
  group: z.string(),
  pattern: z.string().nullable(),
  kind: z.enum(['permanent', 'transient', 'poison', 'bug'] satisfies FailureKind[]),
  reason: z.string(),
  event: z.unknown(),
  died_at: z.string(),
});

// Bounds the memory of a reading; what finds no room is read when these have gone.
const LETTERS_IN_SIGHT = 50_000;
const LETTER_BYTES_AT_ONCE = 4_000_000;

/** Dead letters in compacted topics, `<stream>.dead.<group>`: the letter's id is the key, an empty record removes it. */
export class DeadLetterTopics {
  constructor(
    private readonly kafka: Kafka,
    private readonly admin: () => Promise<Admin>,
    private readonly producer: () => Promise<Producer>,
    private readonly topics: Topics,
  ) {}

  async bury(events: readonly BuriedEvent[]): Promise<void> {
    const died_at = new Date().toISOString();
    const records = [];
    for (const event of events) {
      const topic = await this.topics.ensureDead(event);
      records.push({
        topic,
        key: event.id,
        value: JSON.stringify({ ...event, died_at } satisfies DeadLetter),
      });
    }
    await sendRecords(await this.producer(), records, LETTER_BYTES_AT_ONCE);
  }

  async read(
    query: DeadLetterQuery,
    choice: { limit: number; ids?: readonly string[] },
  ): Promise<DeadLetter[]> {
    const topic = this.topics.deadNameOf(query);
    if (!(await this.topics.exists(topic))) return [];
    return onBrokers('read dead letters', async () => {
      const keys = await this.oldestKeys(topic, choice);
      return keys.size === 0 ? [] : this.lettersOf(topic, keys);
    });
  }

  /** Publishes before it removes: a crash in between replays a letter twice, which its receivers know. */
  async replay(query: DeadLetterQuery & { ids?: readonly string[] }): Promise<number> {
    const letters = await this.read(query, { limit: REPLAY_AT_ONCE, ids: query.ids });
    if (letters.length === 0) return 0;
    await this.topics.ensure([query.stream]);
    const topic = this.topics.nameOf(query.stream);
    const producer = await this.producer();
    await sendRecords(
      producer,
      letters.map(({ event }) => ({
        topic,
        key: keyOf(event),
        value: typeof event === 'string' ? event : JSON.stringify(event),
      })),
    );
    const dead = this.topics.deadNameOf(query);
    await sendRecords(
      producer,
      letters.map(({ id }) => ({ topic: dead, key: id, value: null })),
    );
    return letters.length;
  }

  private async oldestKeys(
    topic: string,
    { limit, ids }: { limit: number; ids?: readonly string[] },
  ): Promise<Map<string, bigint>> {
    const wanted = ids && new Set(ids);
    for (let from = 0n; ;) {
      const live = new LiveLetters(LETTERS_IN_SIGHT);
      await readTopic(await this.reader(), { topic, from }, ({ key, offset, value }) => {
        const id = key?.toString() ?? '';
        if (!wanted || wanted.has(id)) live.add(id, BigInt(offset), value !== null);
        return true;
      });
      const letters = live.letters().slice(0, limit);
      const unseen = live.unseenFrom();
      if (letters.length > 0 || unseen === undefined) {
        return new Map(letters.map(({ key, offset }) => [key, offset]));
      }
      from = unseen;
    }
  }

  private async lettersOf(topic: string, keys: ReadonlyMap<string, bigint>): Promise<DeadLetter[]> {
    const offsets = new Set(keys.values());
    const sorted = [...offsets].sort((a, b) => (a < b ? -1 : 1));
    const letters: DeadLetter[] = [];
    await readTopic(await this.reader(), { topic, from: sorted[0] ?? 0n }, ({ offset, value }) => {
      if (value && offsets.has(BigInt(offset)))
        letters.push(Letter.parse(JSON.parse(value.toString())) as DeadLetter);
      return letters.length < offsets.size;
    });
    return letters;
  }

  private async reader() {
    return { kafka: this.kafka, admin: await this.admin(), group: this.topics.groupOf('dead-letter-reader') };
  }
}
