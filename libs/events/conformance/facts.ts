import { EventEnvelope, newId, type Stream } from '@postmesh/contracts';
import { z } from 'zod';

const Numbered = z.object({ n: z.number() });

/** An event with a number, from which the suite derives order and gaps. */
export function fact(key: string, n: number, about: { stream?: Stream; type?: string } = {}): EventEnvelope {
  return {
    id: newId(),
    type: about.type ?? 'thing-happened',
    version: 1,
    occurred_at: new Date().toISOString(),
    stream: about.stream ?? 'messages',
    key,
    account_id: null,
    trace: null,
    data: { n },
  };
}

export function facts(keys: number, perKey: number, about: { stream?: Stream } = {}): EventEnvelope[] {
  return Array.from({ length: keys * perKey }, (_, at) =>
    fact(`key-${at % keys}`, Math.floor(at / keys), about),
  );
}

const numberOf = (event: EventEnvelope): number => Numbered.parse(event.data).n;

export const idsOf = (events: readonly EventEnvelope[]): string[] => events.map(({ id }) => id);

/** @returns the first delivery of every event, in order of delivery */
export function withoutRepeats(events: readonly EventEnvelope[]): EventEnvelope[] {
  const seen = new Set<string>();
  return events.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** @returns keys whose numbers do not ascend one by one from 0 */
export function keysOutOfOrder(events: readonly EventEnvelope[]): string[] {
  const next = new Map<string, number>();
  const wrong = new Set<string>();
  for (const event of events) {
    const expected = next.get(event.key) ?? 0;
    if (numberOf(event) !== expected) wrong.add(event.key);
    next.set(event.key, numberOf(event) + 1);
  }
  return [...wrong];
}

export const parseEnvelope = (text: string): EventEnvelope =>
  EventEnvelope.parse(JSON.parse(text)) as EventEnvelope;
