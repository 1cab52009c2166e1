import {
  EventEnvelope,
  failureKind,
  parseBoundedJson,
  Poison,
  type EventDefinition,
  type FailureKind,
  type Stream,
} from '@postmesh/contracts';
import { z } from 'zod';
import type { EntityManager } from 'typeorm';
import type { LogPlace, ReceivedEvent } from '../event-bus.port.js';

/** Called after the commit of a consumer's writes, e.g. to wake a loop, which would find no rows before. */
export type AfterCommit = () => void;

/** A consumer as the platform runs it: one event, one name, one method. */
export interface ConsumerEntry {
  /** `<service>.<what it does>`: unique in the installation; inbox rows and dead letters carry it */
  readonly name: string;
  readonly event: EventDefinition<unknown>;
  /** @returns what to call after the commit */
  handle(tx: EntityManager, events: EventEnvelope[]): Promise<readonly AfterCommit[] | void>;
}

/** One record of a batch, with its consumer and its failure, if any. */
export interface BatchEntry {
  /** the event's id, or the place of the record (`<stream>/<partition>/<position>`) where it has none */
  readonly eventId: string;
  readonly stream: Stream;
  readonly mayRepeat: boolean;
  /** its position in the log of the bus, if that has one */
  readonly place?: LogPlace;
  /** `<type>.v<version>`, null where the record does not say */
  readonly pattern: string | null;
  readonly consumer: ConsumerEntry | undefined;
  /** parsed with its definition; undefined when that failed */
  readonly event: EventEnvelope | undefined;
  /** the record as it came */
  readonly text: string;
  /** set when nothing can be done about the event: it is a dead letter then */
  failure?: EventFailure;
}

export interface EventFailure {
  kind: FailureKind;
  /** one short line for a person */
  reason: string;
  /** set aside after this many crashes, without being handled */
  crashes?: number;
}

// The inbox keeps ids as UUIDs.
const Head = EventEnvelope.omit({ data: true }).extend({ id: z.uuid() });
const WithId = z.object({ id: z.string().min(1).max(200) });
const WithPattern = z.object({ type: z.string().max(200), version: z.number().int() });

const patternOf = ({ type, version }: { type: string; version: number }): string => `${type}.v${version}`;

const ID_FIRST = /^\{"id":"([0-9a-f-]{36})"/;

/** Identifies a record before it is parsed: parsing may be the cause of the crash. */
export const identityOf = ({ at, text }: ReceivedEvent): string => ID_FIRST.exec(text)?.[1] ?? at;

/**
 * Parses a record: its head first, its data only for a consumer. A record that cannot be parsed is marked as a
 * failure; nothing is thrown.
 * @param setAside a record for a consumer is set aside: it is not handled, and its data is not parsed
 */
export function batchEntry(
  { stream, at, text, mayRepeat, place }: ReceivedEvent,
  consumers: ReadonlyMap<string, ConsumerEntry>,
  setAside?: EventFailure,
): BatchEntry {
  const about = { stream, text, mayRepeat, place };
  const { head, readData } = headOf(text);
  const parsed = Head.safeParse(head);
  if (!parsed.success) return { ...about, ...unreadable(head, at, z.prettifyError(parsed.error)) };
  const { id: eventId } = parsed.data;
  const pattern = patternOf(parsed.data);
  const consumer = consumerOf(consumers.get(pattern), parsed.data.only_for);
  if (!consumer) return { ...about, eventId, pattern, consumer, event: undefined };
  if (setAside) return { ...about, eventId, pattern, consumer, event: undefined, failure: setAside };
  try {
    const event = consumer.event.parse({ ...parsed.data, data: readData() });
    return { ...about, eventId, pattern, consumer, event };
  } catch (error) {
    return { ...about, eventId, pattern, consumer, event: undefined, failure: failureOf(error) };
  }
}

const consumerOf = (consumer: ConsumerEntry | undefined, service: string | undefined) =>
  service === undefined || consumer?.name.startsWith(`${service}.`) ? consumer : undefined;

const DATA = ',"data":';

/**
 * Our own envelopes have their data last, and quotes inside of strings are escaped: what is before the first `,"data":`
 * is the head. Any other record is parsed whole.
 */
function headOf(text: string): { head: unknown; readData: () => unknown } {
  const at = text.indexOf(DATA);
  const head = at > 0 && text.startsWith('{"id":"') ? parsedOrUndefined(`${text.slice(0, at)}}`) : undefined;
  if (head !== undefined) return { head, readData: () => parsedData(text.slice(at + DATA.length, -1)) };
  const whole = parsedOrUndefined(text) as { data?: unknown } | undefined;
  return { head: whole, readData: () => whole?.data };
}

function parsedData(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (error) {
    throw new Poison('data is no JSON', { cause: error });
  }
}

function parsedOrUndefined(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

function unreadable(head: unknown, at: string, reason: string) {
  const pattern = WithPattern.safeParse(head);
  return {
    eventId: WithId.safeParse(head).data?.id ?? at,
    pattern: pattern.success ? patternOf(pattern.data) : null,
    consumer: undefined,
    event: undefined,
    failure: { kind: 'poison' as const, reason: `no event envelope: ${reason}`.slice(0, 500) },
  };
}

export function failureOf(error: unknown): EventFailure {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
  return { kind: failureKind(error), reason: (text ?? 'unknown').slice(0, 500) };
}
