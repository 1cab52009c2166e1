import { expect, it } from 'vitest';
import { responseStart } from './response-start.rules.js';

const answered = (start: Buffer) =>
  responseStart({ kind: 'answered', status: 500, start, redirects: 0, durationMs: 1 });

it('is text that is safe for a terminal and a database', () => {
  expect(answered(Buffer.from('{"error":"Grüße"}'))).toBe('{"error":"Grüße"}');
  expect(answered(Buffer.from('a\u0000b\r\n\u001b[31mred\u202e'))).toBe('a b [31mred');
  expect(answered(Buffer.from('Größe').subarray(0, 3))).toBe('Gr');
  expect(answered(Buffer.alloc(0))).toBeNull();
  expect(answered(Buffer.from('\n'))).toBeNull();
  expect(
    responseStart({ kind: 'failed', trouble: 'timeout', code: 'TimeoutError', durationMs: 1 }),
  ).toBeNull();
});
