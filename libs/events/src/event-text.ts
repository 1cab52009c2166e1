import { Permanent, type EventEnvelope } from '@postmesh/contracts';
import { MAX_EVENT_BYTES, type ReceivedEvent } from './event-bus.port.js';

/**
 * @returns the event as every driver stores it: JSON text, which has no raw line breaks
 * @throws Permanent when it is larger than MAX_EVENT_BYTES
 */
export function toEventText(event: EventEnvelope): string {
  const text = JSON.stringify(event);
  // A UTF-16 unit is at most three bytes of UTF-8: most events need no count.
  if (text.length * 3 > MAX_EVENT_BYTES && Buffer.byteLength(text) > MAX_EVENT_BYTES) {
    throw new Permanent(`event ${event.id} (${event.type}) is larger than ${MAX_EVENT_BYTES} bytes`);
  }
  return text;
}

/** Events of a log of ours: `outbox.add` wrote them from checked events, so they are not proven again. */
export const readOwnEvents = (logged: readonly Pick<ReceivedEvent, 'text'>[]): EventEnvelope[] =>
  logged.map(({ text }) => JSON.parse(text) as EventEnvelope);
