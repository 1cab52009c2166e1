import { ApiErrors, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { CONTACT_STATUSES } from './contact-fields.table.js';
import {
  BatchContactsBody,
  BatchResultResource,
  ContactErrors,
  ContactPage,
  ContactResource,
  CreateContactBody,
  ListContactsQuery,
  UpdateContactBody,
} from './contact.schema.js';

const notFound = { status: 404, when: `\`${ContactErrors.notFound().message}\`` } as const;
const taken = { status: 409, when: `\`${ContactErrors.taken().message}\`` } as const;
const badAttribute = {
  status: 400,
  when: 'An attribute that is not defined for the account, or a value of the wrong type.',
} as const;
const ID_OR_EMAIL = 'A path value in UUID form is an id, any other value an address, percent-encoded once.';

export const CONTACTS_DOCUMENT: ServiceDocument = {
  'contacts.list': {
    summary: 'List contacts',
    query: ListContactsQuery,
    paginated: true,
    response: { status: 200, description: 'One page of contacts.', schema: ContactPage },
    apiErrors: [
      { status: 400, when: `\`${ApiErrors.invalidParameter('status', CONTACT_STATUSES).message}\`` },
    ],
  },
  'contacts.create': {
    summary: 'Create a contact',
    description: 'The contact is on no list. Suppressions of its address stay as they are.',
    body: CreateContactBody,
    example: { email: 'person@example.com', first_name: 'Pat', attributes: { customer: true } },
    response: { status: 201, description: 'The new contact.', schema: ContactResource },
    apiErrors: [badAttribute, taken],
  },
  'contacts.get': {
    summary: 'Get a contact',
    description: ID_OR_EMAIL,
    response: { status: 200, description: 'The contact.', schema: ContactResource },
    apiErrors: [notFound],
  },
  'contacts.update': {
    summary: 'Change a contact',
    description: `Omitted and null fields keep their value. Attributes are merged; null removes one. ${ID_OR_EMAIL}`,
    body: UpdateContactBody,
    example: { last_name: 'Example', attributes: { score: 12.5 } },
    response: { status: 200, description: 'The contact after the change.', schema: ContactResource },
    apiErrors: [badAttribute, notFound, taken],
  },
  'contacts.delete': {
    summary: 'Delete a contact',
    description: `Deletes the contact with its memberships, its unsubscribe history and its records in campaigns. Suppressions of its address stay. ${ID_OR_EMAIL}`,
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: {
        message: 'contact 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01 (ann@mail.example.com) deleted successfully',
      },
    },
    apiErrors: [notFound],
  },
  'contacts.batch': {
    summary: 'Create or update up to 1,000 contacts',
    description:
      'New addresses are created, existing ones updated. An invalid entry fails alone; entries with the same address all fail. All effects are one transaction.',
    body: BatchContactsBody,
    example: { data: [{ email: 'person@example.com', first_name: 'Pat' }, { email: 'two@example.com' }] },
    response: {
      status: 200,
      description: 'The result of each entry, in their order.',
      schema: BatchResultResource,
    },
  },
};
