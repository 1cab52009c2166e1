import { createPrivateKey, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { seconds, type Unsigned, type WebhookDialect } from '../dialect.js';
import { SENDGRID_EVENTS } from './events.table.js';

/** The secret is the private key: PKCS #8 as DER in base64. */
const privateKeyOf = (secret: string) =>
  createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' });

function makeSecret(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

function sign({ payload, at, secret }: Unsigned) {
  const body = Buffer.from(JSON.stringify([payload]));
  const timestamp = String(seconds(at));
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  return {
    headers: {
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': signBytes('sha256', signed, privateKeyOf(secret)).toString(
        'base64',
      ),
    },
    body,
  };
}

export const SENDGRID: WebhookDialect = {
  title: 'SendGrid',
  signature:
    '`X-Twilio-Email-Event-Webhook-Signature` and `-Timestamp`: ECDSA over P-256; a receiver gets the new public key',
  notes: [
    'A call has an array with one event: each one has the retries of a call of its own.',
    '`sg_message_id` is the UUID of the message of this recipient: `X-Message-Id` of the send for the first one.',
    '`sg_event_id` is the id of the call, the same on every retry.',
    'Categories and custom arguments are left out.',
  ],
  events: SENDGRID_EVENTS,
  secrets: {
    make: makeSecret,
    publicKeyOf: (secret) =>
      createPublicKey(privateKeyOf(secret)).export({ format: 'der', type: 'spki' }).toString('base64'),
  },
  sign,
};
