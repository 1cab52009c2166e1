import type { ServiceDocument } from '@postmesh/contracts';
import { AttributeDefinitionBody, AttributeList, AttributeResource } from './attribute.schema.js';

/** Operations of the console (decision 116). */
export const ATTRIBUTES_DOCUMENT: ServiceDocument = {
  'contact-attributes.list': {
    summary: 'List the attributes of contacts',
    description: 'By key. A contact takes values of these, and of no others.',
    response: { status: 200, description: 'All attributes of the account.', schema: AttributeList },
  },
  'contact-attributes.create': {
    summary: 'Define an attribute of contacts',
    description: 'The same definition again is no error. A type never changes.',
    body: AttributeDefinitionBody,
    example: { key: 'city', type: 'string' },
    response: { status: 201, description: 'The attribute.', schema: AttributeResource },
    apiErrors: [
      { status: 400, when: 'A key that is reserved or not of its form.' },
      { status: 409, when: 'An attribute of this key has another type, or the account has 100.' },
    ],
  },
};
