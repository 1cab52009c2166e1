import type { Dialect } from '../dialect.js';
import { EMAIL_ROUTES } from './emails.routes.js';
import { SES_ERROR, sesError } from './ses-errors.table.js';
import { accessKeyOf, verifySignature } from './signature-v4.rules.js';

export const SES: Dialect = {
  name: 'ses',
  title: 'Amazon SES v2',
  credentials:
    'an access key of an API key, made in the console under “Developers”, which signs each request (AWS Signature Version 4, service `ses`, any region)',
  change: 'the option `endpoint` of `new SESv2Client({ endpoint, region, credentials })`',
  notes: [
    'An API key has at most one access key, with its scopes and its IP allow list ([decision 138](decisions/0138-access-keys-for-signed-requests.md)). Its secret is shown once and kept sealed; another one ends it.',
    'Signatures are good for five minutes around their time. `host`, `x-amz-date` and the body are signed: a proxy in front of the gateway has to hand the header `Host` on.',
    '`MessageId` is the UUID of the first message of an email; `GET /v2/…/messages/{id}` reads it, too.',
    'A template is one of ours, by its UUID; its language is ours, not Handlebars.',
    'A raw message is read and composed again: headers, bodies and files stay; boundaries, encodings and the Message-ID do not. One whose parts ours cannot have (signed or encrypted) is refused.',
    'SES has no idempotency keys; our header `Idempotency-Key` is honoured.',
    'The paths begin with `/v2`, where the contract has none of these.',
  ],
  refusedHeaders: { 'x-amz-security-token': 'there are no temporary credentials' },
  routes: EMAIL_ROUTES,
  secretOf: accessKeyOf,
  verify: (request, body, secret, now) => verifySignature(request, body, { secret, service: 'ses', now }),
  error: sesError,
  security: { type: 'apiKey', in: 'header', name: 'Authorization' },
  errorSchema: SES_ERROR,
};
