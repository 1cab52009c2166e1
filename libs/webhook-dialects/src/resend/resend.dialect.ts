import { createHmac, randomBytes } from 'node:crypto';
import { seconds, type Unsigned, type WebhookDialect } from '../dialect.js';
import { RESEND_EVENTS } from './events.table.js';

const SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const NEW_BYTES = 24;

/** The part after the prefix is the key, in base64 (Standard Webhooks, section "Signature scheme"). */
const keyOf = (secret: string): Buffer => Buffer.from(secret.replace('whsec_', ''), 'base64');

function sign({ payload, messageId, at, secret }: Unsigned) {
  const body = Buffer.from(JSON.stringify(payload));
  const timestamp = String(seconds(at));
  const mac = createHmac('sha256', keyOf(secret))
    .update(`${messageId}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return {
    headers: { 'svix-id': messageId, 'svix-timestamp': timestamp, 'svix-signature': `v1,${mac}` },
    body,
  };
}

export const RESEND: WebhookDialect = {
  title: 'Resend',
  signature: '`svix-id`, `svix-timestamp` and `svix-signature`: HMAC-SHA256 with a secret `whsec_…`',
  notes: [
    '`email_id` is the UUID of the message of this recipient: the id of the send for the first one.',
    '`to` has this one recipient; tags, broadcasts and templates are left out.',
  ],
  events: RESEND_EVENTS,
  secrets: {
    make: () => `whsec_${randomBytes(NEW_BYTES).toString('base64')}`,
    fits: (given) => SECRET.test(given) && keyOf(given).length >= NEW_BYTES,
    form: '`whsec_` and 24 to 64 bytes in base64',
  },
  sign,
};
