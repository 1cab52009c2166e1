import type { WebhookDialect } from '../dialect.js';
import { POSTMARK_EVENTS } from './events.table.js';

export const POSTMARK: WebhookDialect = {
  title: 'Postmark',
  signature:
    'none, as theirs: the URL has a user and a password, `https://user:password@host/…`, for basic authentication',
  notes: [
    '`MessageID` is the UUID of the message of this recipient: that of the send for the first one.',
    '`MessageStream` is `outbound` and `ServerID` 0; `Tag` is empty, and `Metadata` has no fields.',
    '`ID` of a bounce is a number made of the id of the call; no request reads it.',
    'Custom headers of theirs are not sent.',
  ],
  events: POSTMARK_EVENTS,
  secrets: null,
  sign: ({ payload }) => ({ headers: {}, body: Buffer.from(JSON.stringify(payload)) }),
};
