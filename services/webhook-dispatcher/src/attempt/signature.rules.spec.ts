import { describe, expect, it } from 'vitest';
import { signedHeaders } from './signature.rules.js';

// The test vector of spec 2-messages §18.
const VECTOR = {
  secret: 'em-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI',
  messageId: 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01',
  at: new Date(1_767_225_600_000),
  body: Buffer.from(
    '{"type":"message.delivered","timestamp":"2025-12-31T23:59:59Z","webhook_id":"5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10","data":{"account_id":"0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0","event":"on_delivered","from":"news@shop.test","recipient":"ann@mail.test","subject":"Your order","message_id_header":"<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>","is_bot":false,"id":"01980f3e5b7a7c11a2d40c5f9e6b8a01","delivery_attempt":{"smtp_code":250,"enhanced_status_code":"2.0.0","response":"OK queued","command":"DATA"}}}',
  ),
};

describe('the signature', () => {
  it('is that of the test vector', () => {
    expect(VECTOR.body).toHaveLength(508);
    expect(signedHeaders(VECTOR)).toEqual({
      'webhook-id': 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01',
      'webhook-timestamp': '1767225600',
      'webhook-signature': 'v1,9XkPJShZwm1o1G7FdG12safYE/t54k3JUCecVUmsjtw=',
    });
  });

  it('signs the second of the attempt', () => {
    const retry = signedHeaders({ ...VECTOR, at: new Date(1_767_225_601_999) });
    expect(retry['webhook-timestamp']).toBe('1767225601');
    expect(retry['webhook-signature']).not.toBe(signedHeaders(VECTOR)['webhook-signature']);
    expect(retry['webhook-id']).toBe(VECTOR.messageId);
  });
});
