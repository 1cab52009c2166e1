import { describe, expect, it } from 'vitest';
import { isWorthAnotherTry } from './another-try.rules.js';

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('a request that failed on its way to a service', () => {
  it.each([
    ['ECONNREFUSED', 'POST', true, true],
    ['ECONNREFUSED', 'POST', false, false],
    ['UND_ERR_CONNECT_TIMEOUT', 'DELETE', true, true],
    ['UND_ERR_SOCKET', 'GET', true, true],
    ['UND_ERR_SOCKET', 'POST', true, false],
    ['UND_ERR_SOCKET', 'DELETE', true, false],
    ['UND_ERR_HEADERS_TIMEOUT', 'GET', true, false],
    ['', 'GET', true, false],
  ])('%s of %s, body untouched %s: once more %s', (code, method, untouched, again) => {
    expect(isWorthAnotherTry(failure(code), { method, untouched })).toBe(again);
  });
});
