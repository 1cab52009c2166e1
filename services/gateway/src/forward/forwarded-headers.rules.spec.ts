import { describe, expect, it } from 'vitest';
import { forwardedHeaders, returnedHeaders } from './forwarded-headers.rules.js';

const ours = { principal: 'signed', requestId: 'r1', clientIp: '192.0.2.1' };

describe('the head that a service gets', () => {
  it('says who calls, and nothing that the client says about itself', () => {
    const client = {
      host: 'api.example.com',
      authorization: 'Bearer pm-sk-1',
      cookie: 'a=b',
      'x-principal': 'forged',
      'x-request-id': 'forged',
      'x-client-ip': 'forged',
      'x-service-token': 'forged',
      'x-forwarded-for': 'forged',
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

  it('has no content type without a body', () => {
    expect(forwardedHeaders({ 'content-type': 'text/plain' }, ours)).not.toHaveProperty('content-type');
  });
});

it('what belongs to the inner connection is not returned', () => {
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
