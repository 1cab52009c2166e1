import { setTimeout as pause } from 'node:timers/promises';
import { failureKind, type EventEnvelope, type FailureKind } from '@postmesh/contracts';
import { afterFailure } from './failure-policy.rules.js';

export interface GivenUp {
  event: EventEnvelope;
  kind: FailureKind;
  reason: string;
}

type Handle = (events: readonly EventEnvelope[]) => Promise<void>;

/**
 * Has the events handled together; when that fails for a reason that lies in the events, by halves, down to the ones
 * that fail alone. Handlers see an event again in a smaller batch after a failure: their transaction was rolled back.
 * @returns the events that nothing can be done about
 * @throws what the handler threw, when the events are to be delivered again
 */
export async function handleOrGiveUp(events: readonly EventEnvelope[], handle: Handle): Promise<GivenUp[]> {
  for (let tries = 1; ; tries++) {
    try {
      await handle(events);
      return [];
    } catch (error) {
      const next = afterFailure(failureKind(error), tries);
      if (next === 'redeliver') throw error;
      if (next === 'isolate') return isolate(events, error, handle);
      await pause(next.retryInMs);
    }
  }
}

/** The left half first, so that events of one key keep their order. */
async function isolate(events: readonly EventEnvelope[], error: unknown, handle: Handle): Promise<GivenUp[]> {
  const [only, second] = events;
  if (only !== undefined && second === undefined) {
    return [{ event: only, kind: failureKind(error), reason: reasonOf(error) }];
  }
  const middle = Math.ceil(events.length / 2);
  const left = await handleHalf(events.slice(0, middle), handle);
  return [...left, ...(await handleHalf(events.slice(middle), handle))];
}

async function handleHalf(events: readonly EventEnvelope[], handle: Handle): Promise<GivenUp[]> {
  try {
    await handle(events);
    return [];
  } catch (error) {
    if (afterFailure(failureKind(error), Number.MAX_SAFE_INTEGER) === 'redeliver') throw error;
    return isolate(events, error, handle);
  }
}

/** @returns one short line for a person */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
  return (text ?? 'unknown').slice(0, 500);
}
