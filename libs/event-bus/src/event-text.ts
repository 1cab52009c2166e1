import { Permanent, type EventEnvelope } from '@postmesh/contracts';
import { MAX_EVENT_BYTES } from './event-bus.port.js';

/**
 * @returns the event as every driver stores it: JSON text
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

/** @returns the decoded record, or the text itself where it is no JSON: the receiver finds out and buries it */
export function fromEventText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @returns the key of a record of any shape, so that a replayed dead letter goes where its like go */
export function keyOf(event: unknown): string {
  return typeof event === 'object' && event !== null && 'key' in event && typeof event.key === 'string'
    ? event.key
    : '';
}
