import { failureKind, ApiErrors, BROWSER_HEADER } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { ClientGone } from './client-body.js';
import { forwardedHeaders, returnedHeaders, toForwardError } from './forward.rules.js';

const ours = { principal: 'signed', requestId: 'r1', clientIp: '192.0.2.1' };

describe('the head that a service gets', () => {
  it('names the caller, and has no header of the client about itself', () => {
    const client = {
      host: 'api.example.com',
      authorization: 'Bearer pm-sk-1',
      cookie: 'a=b',
      'x-principal': 'forged',
      'x-request-id': 'forged',
      'x-client-ip': 'forged',
      'x-service-token': 'forged',
      'x-forwarded-for': 'forged',
      [BROWSER_HEADER]: 'forged',
      'idempotency-key': 'k1',
      'user-agent': 'test',
      connection: 'keep-alive',
      expect: '100-continue',
      'content-length': '2',
    };
    expect(forwardedHeaders(client, ours)).toEqual({
      'x-principal': 'signed',
      'x-request-id': 'r1',
      'x-client-ip': '192.0.2.1',
      'idempotency-key': 'k1',
      'user-agent': 'test',
      'content-length': '2',
      'content-type': 'application/json',
    });
  });

  it('names the browser of a sign-in where it is known', () => {
    expect(forwardedHeaders({}, { ...ours, browser: 'secret' })[BROWSER_HEADER]).toBe('secret');
  });

  it('has no content type without a body', () => {
    expect(forwardedHeaders({ 'content-type': 'text/plain' }, ours)).not.toHaveProperty('content-type');
  });
});

it('headers of the inner connection are not returned', () => {
  const service = {
    'content-type': 'application/json',
    'content-length': '2',
    'retry-after': '3',
    'idempotent-replayed': 'true',
    connection: 'keep-alive',
    'keep-alive': 'timeout=65',
    'transfer-encoding': 'chunked',
    'x-request-id': 'inner',
    nothing: undefined,
  };
  expect(returnedHeaders(service)).toEqual({
    'content-type': 'application/json',
    'content-length': '2',
    'retry-after': '3',
    'idempotent-replayed': 'true',
  });
});

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('a request that failed on its way to a service', () => {
  it.each([
    ['ECONNREFUSED', 'POST', 'transient'],
    ['UND_ERR_SOCKET', 'GET', 'transient'],
    ['UND_ERR_SOCKET', 'POST', 'bug'],
    ['UND_ERR_HEADERS_TIMEOUT', 'POST', 'bug'],
  ])('%s of %s is %s', (code, method, kind) => {
    expect(failureKind(toForwardError(failure(code), 'messages', { method }))).toBe(kind);
  });

  it('errors of the gateway itself stay unchanged', () => {
    for (const error of [ApiErrors.bodyTooLarge(), new ClientGone()]) {
      expect(toForwardError(error, 'messages', { method: 'POST' })).toBe(error);
    }
  });
});
