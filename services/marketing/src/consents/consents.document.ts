import type { ServiceDocument } from '@postmesh/contracts';
import { ConsentList, ConsentPage, ConsentsQuery, ConsentVerification } from './consent.schema.js';

/** Operations of the console (decision 153). */
export const CONSENTS_DOCUMENT: ServiceDocument = {
  'consents.of-contact': {
    summary: 'List the consents of a contact',
    description: 'Newest first, 200 at most.',
    response: { status: 200, description: 'Its consents.', schema: ConsentList },
    apiErrors: [{ status: 404, when: '`contact not found`' }],
  },
  'consents.list': {
    summary: 'List all consents of the account',
    description: 'In the order of the chain, 1,000 at once.',
    query: ConsentsQuery,
    response: { status: 200, description: 'One page.', schema: ConsentPage },
    apiErrors: [{ status: 400, when: '`after` is invalid.' }],
  },
  'consents.verify': {
    summary: 'Verify the chain of consents',
    description:
      'Recomputes 5,000 records at once. A hash that was noted earlier proves that nothing before it has changed since.',
    query: ConsentsQuery,
    response: {
      status: 200,
      description: 'How far the chain is whole.',
      schema: ConsentVerification,
      example: { object: 'consent_verification', last: 41, hash: '0e4c…', has_more: false, problem: null },
    },
    apiErrors: [{ status: 400, when: '`after` is not the number of a record.' }],
  },
};
