import type { OutgoingResponse } from '@postmesh/http';

// Control characters are unsafe in a log or a terminal, and PostgreSQL accepts no NUL.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/g;

/** The beginning of an answer, as displayable text; null when it is empty. */
export function responseStart(response: OutgoingResponse): string | null {
  if (response.kind !== 'answered' || response.start.length === 0) return null;
  // a character may be cut in two at the end
  return (
    response.start
      .toString('utf8')
      .replace(/\ufffd+$/, '')
      .replace(CONTROL, ' ')
      .trim() || null
  );
}
