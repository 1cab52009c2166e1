import type { Dialect } from '../dialect.js';
import { fromBasic } from '../credentials.js';
import { MAILGUN_ERROR, mailgunError } from './mailgun-errors.table.js';
import { MESSAGE_ROUTES } from './messages.routes.js';

export const MAILGUN: Dialect = {
  name: 'mailgun',
  title: 'Mailgun',
  credentials: 'HTTP basic authentication as `api` with the API key as password',
  change: "the option `url` of `mailgun.client({ username: 'api', key, url })`",
  notes: [
    '`id` is the Message-ID of the first message; `GET /v2/…/messages/{id}` reads it.',
    'The domain of the path is that of the sender: the same as in `from`.',
    'A message has up to 50 recipients that see each other. With `recipient-variables` each of up to 1,000 gets a message of its own, in which `%recipient.name%` is replaced as it is written.',
    'A template is one of ours, by its UUID; its language is ours, not Handlebars. Their SDK for Go has its variables in `h:X-Mailgun-Variables`.',
    '`messages.mime` is read and composed again: headers, bodies and files stay; boundaries, encodings and the Message-ID do not. A message whose parts ours cannot have (signed or encrypted) is refused.',
    'Mailgun has no idempotency keys; our header `Idempotency-Key` is honoured.',
  ],
  routes: MESSAGE_ROUTES,
  refusedHeaders: { 'x-mailgun-on-behalf-of': 'a key is of one account, use one of the sub-account' },
  secretOf: fromBasic('api'),
  error: mailgunError,
  security: { type: 'http', scheme: 'basic' },
  errorSchema: MAILGUN_ERROR,
  plainErrors: [401],
};
