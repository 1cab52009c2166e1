import type { OutgoingResponse } from '@postmesh/outgoing-http';

// Control characters have no place in a log or a terminal, and PostgreSQL takes no NUL.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/g;

/** How an answer begins, as text that a person may be shown; null when there is none. */
export function responseStart(response: OutgoingResponse): string | null {
  if (response.kind !== 'answered' || response.start.length === 0) return null;
  // a character may have been cut in two at the end
  return (
    response.start
      .toString('utf8')
      .replace(/\ufffd+$/, '')
      .replace(CONTROL, ' ')
      .trim() || null
  );
}
