import type { ServiceDocument } from '@postmesh/contracts';
import { ContactBatch, ContactBatchBody } from './contact-batch.schema.js';

const example = {
  ...{ service: 'resend', columns: ['email', 'first_name', 'unsubscribed'] },
  rows: [['ann@example.com', 'Ann', 'false']],
};
const effect = {
  ...{ object: 'contact_batch', forms: ['contacts'], may_be_confirmed: false },
  ...{ created: 1, updated: 0, unchanged: 0, rejected: 1, repeated: 0, stopped: 0 },
  consents: { subscribed: 1, unsubscribed: 0, unconfirmed: 0, bounced: 0, blocked: 0, disabled: 0 },
  lists: [],
  attributes: [{ key: 'city', type: 'string', is_defined: true }],
  errors: [{ position: 1, email: 'ann', reason: 'email is not an email address' }],
};
const apiErrors = [{ status: 400, when: 'The columns are those of no file of the service.' }] as const;

/** Operations of the console (decision 116). */
export const CONTACT_BATCHES_DOCUMENT: ServiceDocument = {
  'contact-batches.create': {
    summary: 'Import contacts that another service exported',
    description: `By the tables of \`npx postmesh import\`. Contacts who agreed join the lists of their rows, which are created where the account
has none of the name, and \`list_id\`. Nothing makes a contact mailable who is not; a repeated request changes nothing.
Attributes have to be defined before.`,
    body: ContactBatchBody,
    example,
    response: { status: 200, description: 'The effect.', schema: ContactBatch, example: effect },
    apiErrors: [...apiErrors, { status: 404, when: '`list not found`' }],
  },
  'contact-batches.preview': {
    summary: 'See what an import of contacts would change',
    body: ContactBatchBody,
    example,
    response: {
      status: 200,
      description: 'The effect that it would have.',
      schema: ContactBatch,
      example: effect,
    },
    apiErrors: [...apiErrors],
  },
};
