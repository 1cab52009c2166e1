import { createHmac } from 'node:crypto';
import { EventWebhook, EventWebhookHeader } from '@sendgrid/eventwebhook';
import { Resend } from 'resend';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '@postmesh/secrets';
import { startHttpReceiver, testDatabase, type HttpReceiver, type ReceivedRequest } from '@postmesh/testing';
import { dialectOf, type WebhookDialectName } from '@postmesh/webhook-dialects';
import { newId } from '@postmesh/contracts';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';

// The verifiers of the services' own packages, unmodified, on what the dispatcher posts.

const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  under = await startDispatcher(database.url, { logLevel: 'silent' });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under.stop();
  await receiver.close();
});
afterEach(() => {
  receiver.clear();
  receiver.respondWith({});
  under.attempts.length = 0;
  under.targets.clear();
});

const DATA = {
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  event: 'on_delivered',
  from: 'news@shop.test',
  recipient: 'ann@mail.test',
  subject: 'Grüße',
  message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
  id: '01980f3e5b7a7c11a2d40c5f9e6b8a01',
  is_bot: false,
  delivery_attempt: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued' },
};
const bodyOf = (type: string) =>
  JSON.stringify({ type, timestamp: '2026-01-05T08:00:02Z', webhook_id: newId(), data: DATA });

/** A webhook in a dialect is called until it answers; the first answer is an error. */
async function calls(
  name: WebhookDialectName | 'unknown',
  secret: string | null,
  type = 'message.delivered',
) {
  receiver.respondWith(() => ({ status: receiver.requests.length === 1 ? 500 : 204 }));
  const box = under.service.get(SecretBox);
  const url = `${receiver.url.replace('http://', 'http://ann:p%40ss@')}/hooks`;
  const event = under.request(url, { eventType: type, body: bodyOf(type) });
  const { webhook_id: id, delivery_id } = event.data;
  const sealed_secret = secret === null ? null : box.seal(secret, `webhook-dialect/${id}`);
  under.targets.set(id, { ...under.targets.get(id)!, dialect: { name, sealed_secret } });
  await under.bus.publish([event]);
  return { delivery_id, messageId: event.data.webhook_message_id };
}

async function answered(name: WebhookDialectName, secret: string | null): Promise<ReceivedRequest[]> {
  const { delivery_id } = await calls(name, secret);
  expect(await under.ended(delivery_id)).toMatchObject([{ success: false }, { success: true }]);
  expect(receiver.requests).toHaveLength(2);
  expect(receiver.requests.map(({ headers }) => headers['webhook-signature'])).toEqual([
    undefined,
    undefined,
  ]);
  return receiver.requests.slice();
}

const header = ({ headers }: ReceivedRequest, name: string) => String(headers[name.toLowerCase()]);
const newSecret = (name: WebhookDialectName): string => dialectOf(name).secrets!.make();

describe('a call in a dialect', () => {
  it('of Resend is accepted by its SDK and by Standard Webhooks, again at the retry', async () => {
    const secret = newSecret('resend');
    for (const request of await answered('resend', secret)) {
      const payload = request.body.toString();
      const [id, timestamp, signature] = ['svix-id', 'svix-timestamp', 'svix-signature'].map((name) =>
        header(request, name),
      ) as [string, string, string];
      const verified = new Resend('re_none').webhooks.verify({
        payload,
        headers: { id, timestamp, signature },
        webhookSecret: secret,
      });
      expect(verified).toMatchObject({ type: 'email.delivered', data: { to: ['ann@mail.test'] } });
      const standard = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      expect(new Webhook(secret).verify(payload, standard)).toEqual(verified);
      expect(() => new Webhook(newSecret('resend')).verify(payload, standard)).toThrow();
      expect(id).toBe(header(receiver.requests[0]!, 'svix-id'));
    }
  });

  it('of SendGrid is accepted by its package with the public key alone', async () => {
    const secret = newSecret('sendgrid');
    const publicKey = dialectOf('sendgrid').secrets!.publicKeyOf!(secret);
    const verifier = new EventWebhook();
    const key = verifier.convertPublicKeyToECDSA(publicKey);
    for (const request of await answered('sendgrid', secret)) {
      const [signature, timestamp] = [EventWebhookHeader.SIGNATURE(), EventWebhookHeader.TIMESTAMP()].map(
        (name) => header(request, name),
      ) as [string, string];
      expect(verifier.verifySignature(key, request.body, signature, timestamp)).toBe(true);
      expect(verifier.verifySignature(key, `${request.body.toString()} `, signature, timestamp)).toBe(false);
      expect(JSON.parse(request.body.toString())).toMatchObject([
        { event: 'delivered', email: 'ann@mail.test' },
      ]);
    }
  });

  it('of Mailgun is signed in its body, with another token at the retry', async () => {
    const secret = newSecret('mailgun');
    const tokens = (await answered('mailgun', secret)).map((request) => {
      const { signature, 'event-data': event } = JSON.parse(request.body.toString());
      // the check of their documentation
      const signed = createHmac('sha256', secret)
        .update(signature.timestamp + signature.token)
        .digest('hex');
      expect(signature.signature).toBe(signed);
      expect(signature.token).toMatch(/^[0-9a-f]{50}$/);
      expect(event).toMatchObject({ event: 'delivered', recipient: 'ann@mail.test' });
      return signature.token as string;
    });
    expect(new Set(tokens).size).toBe(2);
  });

  it('of Postmark has the user and the password of its URL', async () => {
    for (const request of await answered('postmark', null)) {
      expect(header(request, 'authorization')).toBe(`Basic ${Buffer.from('ann:p@ss').toString('base64')}`);
      expect(JSON.parse(request.body.toString())).toMatchObject({ RecordType: 'Delivery' });
    }
  });

  it('is not made for an event without a counterpart', async () => {
    const { delivery_id } = await calls('mailgun', newSecret('mailgun'), 'domain.dns_error');
    await expect
      .poll(async () => (await under.internal('GET', `/operator/deliveries/${delivery_id}`)).body)
      .toMatchObject({ waiting: null, ended: { outcome: 'stopped' }, attempts: [] });
    expect(receiver.requests).toEqual([]);
  });

  it('waits while the secret or the dialect is one that this release cannot read', async () => {
    const wrong = new SecretBox(['another-key-of-the-secrets-long-enough']).seal('x', 'webhook-dialect/x');
    await calls('unknown', newSecret('mailgun'));
    await expect
      .poll(async () => (await under.pending()).map(({ reason }) => reason))
      .toEqual(['its dialect is one of a newer release']);
    const event = under.request(receiver.url, { body: bodyOf('message.delivered') });
    const { webhook_id: id } = event.data;
    under.targets.set(id, { ...under.targets.get(id)!, dialect: { name: 'mailgun', sealed_secret: wrong } });
    await under.bus.publish([event]);
    await expect
      .poll(async () => (await under.pending()).map(({ reason }) => reason))
      .toContain('its signing secret cannot be read');
    expect(receiver.requests).toEqual([]);
  });
});
