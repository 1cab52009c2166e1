import { createHmac, randomBytes } from 'node:crypto';
import { seconds, type Unsigned, type WebhookDialect } from '../dialect.js';
import { MAILGUN_EVENTS } from './events.table.js';

const SECRET = /^[\x21-\x7e]{16,128}$/;
const NEW_BYTES = 16;
// 50 hexadecimal digits, as theirs
const TOKEN_BYTES = 25;

/** Time and token are signed, the event is not: their scheme. Each attempt has a new token, as receivers refuse a second one. */
function sign({ payload, at, secret }: Unsigned) {
  const timestamp = String(seconds(at));
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const signature = createHmac('sha256', secret).update(timestamp).update(token).digest('hex');
  return {
    headers: {},
    body: Buffer.from(JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': payload })),
  };
}

export const MAILGUN: WebhookDialect = {
  title: 'Mailgun',
  signature: '`signature` of the body: HMAC-SHA256 over `timestamp` and `token` with the signing key',
  notes: [
    '`event-data.id` is the id of the call, the same on every retry; `token` is another one in each.',
    '`message.headers.message-id` is the Message-ID: `id` of the send, without its angle brackets.',
    'Tags, variables, storage and sizes are empty.',
  ],
  events: MAILGUN_EVENTS,
  secrets: {
    make: () => randomBytes(NEW_BYTES).toString('hex'),
    fits: (given) => SECRET.test(given),
    form: '16 to 128 visible ASCII characters',
  },
  sign,
};
