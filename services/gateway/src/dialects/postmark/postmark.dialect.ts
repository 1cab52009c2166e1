import type { Dialect } from '../dialect.js';
import { fromHeader } from '../credentials.js';
import { EMAIL_ROUTES } from './emails.routes.js';
import { POSTMARK_ERROR, postmarkError } from './postmark-errors.table.js';
import { TEMPLATE_ROUTES } from './templates.routes.js';

export const POSTMARK: Dialect = {
  name: 'postmark',
  title: 'Postmark',
  credentials: '`X-Postmark-Server-Token: <API key>`',
  change: 'the options `requestHost` and `useHttps` of `new ServerClient(key, { requestHost })`',
  notes: [
    '`MessageID` is the UUID of the first message of an email; `GET /v2/…/messages/{id}` reads it, too.',
    'An address on the suppression list is no error `406`: its message is accepted and becomes Suppressed, without an attempt.',
    'A template is one of ours: its alias is its UUID, and it has no number. The source of one that is written in MJML is in `GET /v2/…/templates/{id}` only.',
    'Postmark has no idempotency keys; our header `Idempotency-Key` is honoured.',
  ],
  routes: { ...EMAIL_ROUTES, ...TEMPLATE_ROUTES },
  secretOf: fromHeader('x-postmark-server-token'),
  error: postmarkError,
  security: { type: 'apiKey', in: 'header', name: 'X-Postmark-Server-Token' },
  errorSchema: POSTMARK_ERROR,
};
