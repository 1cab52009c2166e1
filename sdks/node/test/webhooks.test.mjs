import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyWebhook } from '../src/index.ts';

// the test vector of the contract
const secret = 'em-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI';
const headers = {
  'webhook-id': 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01',
  'webhook-timestamp': '1767225600',
  'webhook-signature': 'v1,9XkPJShZwm1o1G7FdG12safYE/t54k3JUCecVUmsjtw=',
};
const body =
  '{"type":"message.delivered","timestamp":"2025-12-31T23:59:59Z","webhook_id":"5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10","data":{"account_id":"0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0","event":"on_delivered","from":"news@shop.test","recipient":"ann@mail.test","subject":"Your order","message_id_header":"<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>","is_bot":false,"id":"01980f3e5b7a7c11a2d40c5f9e6b8a01","delivery_attempt":{"smtp_code":250,"enhanced_status_code":"2.0.0","response":"OK queued","command":"DATA"}}}';
const now = 1767225600_000;
const call = { secret, headers, body, now };

describe('spec 2-messages §18 rule 3 a webhook call', () => {
  it('is taken as text, as bytes, and with a second signature', () => {
    assert.equal(verifyWebhook(call).type, 'message.delivered');
    const two = new Headers({
      ...headers,
      'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}`,
    });
    assert.equal(verifyWebhook({ ...call, body: Buffer.from(body), headers: two }).type, 'message.delivered');
  });

  it('is refused when body, id, secret or signature is another', () => {
    for (const change of [
      { body: `${body} ` },
      { secret: secret.slice(9) },
      { secret: '' },
      { headers: { ...headers, 'webhook-id': 'msg_2' } },
      { headers: { ...headers, 'webhook-signature': 'v1,' } },
      { headers: { ...headers, 'webhook-signature': undefined } },
    ])
      assert.throws(() => verifyWebhook({ ...call, ...change }), { name: 'WebhookVerificationError' });
  });

  it('spec 2-messages §18 rule 11 may be five minutes away, and no more', () => {
    for (const away of [-300_000, 300_000]) assert.ok(verifyWebhook({ ...call, now: now + away }));
    for (const away of [-301_000, 301_000])
      assert.throws(() => verifyWebhook({ ...call, now: now + away }), /300 seconds away/);
    assert.throws(
      () => verifyWebhook({ ...call, headers: { ...headers, 'webhook-timestamp': '1e9' } }),
      /no number/,
    );
  });
});
