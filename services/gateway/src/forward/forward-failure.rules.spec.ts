import { failureKind, ApiErrors } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { ClientGone } from './client-body.js';
import { isWorthAnotherTry, toForwardError } from './forward-failure.rules.js';

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

  it.each([
    ['ECONNREFUSED', 'POST', 'transient'],
    ['UND_ERR_SOCKET', 'GET', 'transient'],
    ['UND_ERR_SOCKET', 'POST', 'bug'],
    ['UND_ERR_HEADERS_TIMEOUT', 'POST', 'bug'],
  ])('%s of %s is %s', (code, method, kind) => {
    expect(failureKind(toForwardError(failure(code), 'messages', { method }))).toBe(kind);
  });

  it('what the gateway itself found stays what it is', () => {
    for (const error of [ApiErrors.bodyTooLarge(), new ClientGone()]) {
      expect(toForwardError(error, 'messages', { method: 'POST' })).toBe(error);
    }
  });
});
