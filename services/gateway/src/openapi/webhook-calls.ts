import type { WebhookDocuments } from '@postmesh/contracts';
import type { ApiDocument, Parameter } from './open-api.js';
import type { Parameters } from './parameters.js';
import type { SchemaComponents } from './schema-components.js';
import { tagOf } from './tags.js';

/** Spec 2-messages §18 rules 1 to 3. */
const SIGNATURE = `The call is signed: \`webhook-signature\` is \`v1,\` and the Base64 of the HMAC-SHA-256 over
\`<webhook-id>.<webhook-timestamp>.<raw body>\`. The key is the secret as it was handed out, prefix included, as UTF-8: nothing of
it is decoded. Compare in constant time, refuse a timestamp that is minutes away, and take a \`webhook-id\` once: the same
call may come again. In Node.js:

\`\`\`js
const signed = \`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${rawBody}\`;
const wanted = 'v1,' + crypto.createHmac('sha256', secret).update(signed).digest('base64');
\`\`\`

Anything but a 2xx in time is tried again.`;

const header = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

const HEADERS: readonly Parameter[] = [
  header('webhook-id', 'The id of this event for this URL: the same in each retry.', { type: 'string' }),
  header('webhook-timestamp', 'When this attempt was made: seconds since 1970.', {
    type: 'string',
    pattern: String.raw`^\d+$`,
  }),
  header('webhook-signature', 'The signature of `webhook-id`, `webhook-timestamp` and the raw body.', {
    type: 'string',
    pattern: '^v1,[A-Za-z0-9+/]+=*$',
  }),
];

interface Parts {
  schemas: SchemaComponents;
  parameters: Parameters;
}

/** The calls to URLs of customers, by their `type`: `webhooks` of OpenAPI 3.1. */
export function webhooksOf(calls: WebhookDocuments, { schemas, parameters }: Parts): ApiDocument['webhooks'] {
  const entries = Object.entries(calls).map(([type, { family, summary, description, body, example }]) => {
    const post = {
      operationId: `calls.${type}`,
      tags: [tagOf(family)],
      summary,
      description: `${description}\n\n${SIGNATURE}`,
      // no API key: the signature authenticates the call
      security: [],
      parameters: HEADERS.map((parameter) => parameters.share(parameter)),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.describe(body), example } },
      },
      responses: { default: { description: 'Any 2xx takes the call. The body of the response is ignored.' } },
    };
    return [type, { post }] as const;
  });
  return Object.fromEntries(entries);
}
