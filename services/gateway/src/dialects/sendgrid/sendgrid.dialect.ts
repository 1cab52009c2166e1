import type { Dialect } from '../dialect.js';
import { fromBearer } from '../credentials.js';
import { MAIL_ROUTES } from './mail.routes.js';
import { SENDGRID_ERROR, sendgridError } from './sendgrid-errors.table.js';
import { SUPPRESSION_ROUTES } from './suppressions.routes.js';
import { TEMPLATE_ROUTES } from './templates.routes.js';

export const SENDGRID: Dialect = {
  name: 'sendgrid',
  title: 'SendGrid (v3)',
  credentials:
    '`Authorization: Bearer <API key>`; the SDK warns that the key does not begin with `SG.`, which is harmless',
  change: "`client.setDefaultRequest('baseUrl', …)` after `setApiKey`, which resets it",
  notes: [
    '`X-Message-Id` is the UUID of the first message; `GET /v2/…/messages/{id}` reads it, too.',
    'All personalizations are translated before the first one is sent. An error that only the services find (credit, a domain without valid DNS) is the response to the whole, with the number of messages that were accepted before it.',
    '`template_id` is the UUID of one of our templates, with or without `d-` before it: the SDK sends `dynamic_template_data` only where it begins so. The language is ours, not Handlebars.',
    'The sandbox mode is ours: the message is recorded and never leaves.',
    'Suppressions are those of bounces and of other automatic or manual entries (`bounces`), of complaints (`spam_reports`) and of unsubscribes (`unsubscribes`, `asm/suppressions/global`), by their reason. An address has one entry for each sending domain.',
    'A template has one version, its published copy. The source of one that is written in MJML is in `GET /v2/…/templates/{id}` only.',
    'SendGrid has no idempotency keys; our header `Idempotency-Key` is honoured.',
  ],
  routes: { ...MAIL_ROUTES, ...SUPPRESSION_ROUTES, ...TEMPLATE_ROUTES },
  refusedHeaders: { 'on-behalf-of': 'a key is of one account, use one of the sub-account' },
  secretOf: fromBearer,
  error: sendgridError,
  security: { type: 'http', scheme: 'bearer' },
  errorSchema: SENDGRID_ERROR,
};
