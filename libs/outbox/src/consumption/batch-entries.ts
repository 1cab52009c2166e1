import {
  EventEnvelope,
  failureKind,
  type EventDefinition,
  type FailureKind,
  type Stream,
} from '@postmesh/contracts';
import type { ReceivedEvent } from '@postmesh/event-bus';
import { z } from 'zod';
import type { EntityManager } from 'typeorm';

/** Called after the commit of what a consumer did, e.g. to wake a loop: whoever looks earlier finds nothing. */
export type AfterCommit = () => void;

/** A consumer as the platform runs it: one event, one name, one method. */
export interface ConsumerEntry {
  /** `<service>.<what it does>`: unique in the installation; inbox rows and dead letters carry it */
  readonly name: string;
  readonly event: EventDefinition<unknown>;
  handle(tx: EntityManager, events: EventEnvelope[]): Promise<AfterCommit | void>;
}

/** One record of a batch, with whoever consumes it and what is wrong with it. */
export interface BatchEntry {
  /** the event's id, or where the record stands (`<stream>/<partition>/<position>`) where it has none */
  readonly eventId: string;
  readonly stream: Stream;
  /** `<type>.v<version>`, null where the record does not say */
  readonly pattern: string | null;
  readonly consumer: ConsumerEntry | undefined;
  /** parsed with its definition; undefined when that failed */
  readonly event: EventEnvelope | undefined;
  /** as it came */
  readonly envelope: unknown;
  /** set when nothing can be done about the event: it is a dead letter then */
  failure?: EventFailure;
}

export interface EventFailure {
  kind: FailureKind;
  /** one short line for a person */
  reason: string;
}

// The inbox keeps ids as UUIDs.
const Envelope = EventEnvelope.extend({ id: z.uuid() });
const WithId = z.object({ id: z.string().min(1).max(200) });
const WithPattern = z.object({ type: z.string().max(200), version: z.number().int() });

const patternOf = ({ type, version }: { type: string; version: number }): string => `${type}.v${version}`;

/** Parses a record; what cannot be parsed, envelope or data, is marked as a failure and thrown by nobody. */
export function batchEntry(
  { stream, at, event: envelope }: ReceivedEvent,
  consumers: ReadonlyMap<string, ConsumerEntry>,
): BatchEntry {
  const parsed = Envelope.safeParse(envelope);
  if (!parsed.success) return unreadable({ stream, at, event: envelope }, z.prettifyError(parsed.error));
  const head = parsed.data as EventEnvelope;
  const pattern = patternOf(head);
  const consumer = consumers.get(pattern);
  const about = { eventId: head.id, stream, pattern, consumer, envelope };
  if (!consumer) return { ...about, event: undefined };
  try {
    return { ...about, event: consumer.event.parse(head) };
  } catch (error) {
    return { ...about, event: undefined, failure: failureOf(error) };
  }
}

function unreadable({ stream, at, event }: ReceivedEvent, reason: string): BatchEntry {
  const pattern = WithPattern.safeParse(event);
  return {
    eventId: WithId.safeParse(event).data?.id ?? at,
    stream,
    pattern: pattern.success ? patternOf(pattern.data) : null,
    consumer: undefined,
    event: undefined,
    envelope: event,
    failure: { kind: 'poison', reason: `no event envelope: ${reason}`.slice(0, 500) },
  };
}

export function failureOf(error: unknown): EventFailure {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
  return { kind: failureKind(error), reason: (text ?? 'unknown').slice(0, 500) };
}
