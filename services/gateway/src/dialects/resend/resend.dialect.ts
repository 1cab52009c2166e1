import type { Dialect } from '../dialect.js';
import { fromBearer } from '../credentials.js';
import { RESEND_ERROR, resendError, resendKeyOf } from './resend-errors.table.js';
import { CONTACT_ROUTES } from './contacts.routes.js';
import { DOMAIN_ROUTES } from './domains.routes.js';
import { EMAIL_ROUTES } from './emails.routes.js';
import { SEGMENT_ROUTES } from './segments.routes.js';

export const RESEND: Dialect = {
  name: 'resend',
  title: 'Resend',
  credentials: '`Authorization: Bearer <API key>`',
  change: '`RESEND_BASE_URL`, or the option `baseUrl` of `new Resend(key, { baseUrl })`',
  notes: [
    'The id of an email is the UUID of its first message; `GET /v2/…/messages/{id}` reads it, too. The id of a domain is its name.',
    '`Idempotency-Key` has 1 to 256 characters and is kept for 24 hours.',
    'A batch is translated before its first email is sent. In the validation mode `strict`, an error that only the services find (credit, a domain without valid DNS) is the response to the whole, with the number of emails that were accepted before it.',
    'A segment is one of our lists, and so is an audience, its name before; topics, properties with types and imports of contacts have no paths here. A contact that exists already is changed by a create.',
    '`scheduled_at` of an email that is read is null: the state `scheduled` says that it waits.',
  ],
  routes: { ...EMAIL_ROUTES, ...DOMAIN_ROUTES, ...SEGMENT_ROUTES, ...CONTACT_ROUTES },
  secretOf: fromBearer,
  idempotencyKeyOf: resendKeyOf,
  error: resendError,
  security: { type: 'http', scheme: 'bearer' },
  errorSchema: RESEND_ERROR,
};
