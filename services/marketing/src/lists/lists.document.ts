import { ApiErrors, fullPageOf, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { AddContactsBody, AddContactsResource } from './add-contacts.schema.js';
import { CreateListBody, ListErrors, ListListsQuery, ListResource, UpdateListBody } from './list.schema.js';
import {
  ListMembersQuery,
  ListOfContactResource,
  ListsOfContactQuery,
  MemberResource,
  MembershipErrors,
  MembershipResource,
  PutMembershipBody,
} from './membership.schema.js';

const noList = { status: 404, when: `\`${ListErrors.notFound().message}\`` } as const;
const noContact = { status: 404, when: `\`${ApiErrors.notFound('contact').message}\`` } as const;
const frozen = { status: 409, when: `\`${MembershipErrors.frozen().message}\`` } as const;

export const LISTS_DOCUMENT: ServiceDocument = {
  'lists.list': {
    summary: 'List contact lists',
    query: ListListsQuery,
    paginated: true,
    response: { status: 200, description: 'One page of lists.', schema: fullPageOf(ListResource) },
  },
  'lists.create': {
    summary: 'Create a contact list',
    description: 'Names are not unique: a repeated request without a key creates another list.',
    body: CreateListBody,
    example: { name: 'Product updates', description: 'Monthly release notes', tags: ['product'] },
    response: { status: 201, description: 'The new list.', schema: ListResource },
  },
  'lists.get': {
    summary: 'Get a contact list',
    response: { status: 200, description: 'The list.', schema: ListResource },
    apiErrors: [noList],
  },
  'lists.update': {
    summary: 'Update a contact list',
    description: 'Omitted and null fields keep their value. `tags` replaces all tags.',
    body: UpdateListBody,
    example: { tags: ['product', 'monthly'] },
    response: { status: 200, description: 'The list as it is now.', schema: ListResource },
    apiErrors: [noList],
  },
  'lists.delete': {
    summary: 'Delete a contact list',
    description: 'The list is deleted; unsubscribes and complaints of its members are kept.',
    response: {
      status: 200,
      description: 'The list is deleted.',
      schema: MessageResponse,
      example: {
        message: 'list 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01 (Product updates) deleted successfully',
      },
    },
    apiErrors: [noList, { status: 409, when: `\`${ListErrors.inUse().message}\`` }],
  },
  'lists.list-contacts': {
    summary: 'List the contacts of a list',
    description: 'The newest membership first.',
    query: ListMembersQuery,
    paginated: true,
    response: { status: 200, description: 'One page of memberships.', schema: fullPageOf(MemberResource) },
    apiErrors: [
      {
        status: 403,
        when: '`include_contacts` without the scope `contacts:read`; checked before the list is looked up.',
      },
      noList,
    ],
  },
  'lists.put-contact': {
    summary: 'Put a contact on a list',
    description:
      'Creates the membership, or changes its status if one is given. It never resubscribes automatically: without a ' +
      'status an existing membership does not change.',
    body: PutMembershipBody,
    example: { subscription_status: 'confirmed' },
    response: { status: 200, description: 'The membership.', schema: MembershipResource },
    apiErrors: [noList, noContact, frozen],
  },
  'lists.remove-contact': {
    summary: 'Remove a contact from a list',
    description: 'Removes the record of an unsubscribe from this list, too.',
    response: {
      status: 200,
      description: 'The contact is not on the list.',
      schema: MessageResponse,
      example: {
        message:
          'contact 0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0 removed from list 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      },
    },
    apiErrors: [
      noList,
      noContact,
      { status: 404, when: `\`${MembershipErrors.notOnList().message}\`` },
      frozen,
    ],
  },
  'lists.add-contacts': {
    summary: 'Add contacts to a list',
    description:
      'Adds existing contacts; an existing membership does not change. An invalid entry fails alone. ' +
      'All effects are one transaction.',
    body: AddContactsBody,
    example: { data: [{ email: 'person@example.com' }] },
    response: { status: 200, description: 'The result of each entry.', schema: AddContactsResource },
    apiErrors: [noList],
  },
  'contacts.list-lists': {
    summary: 'List the lists of a contact',
    description: 'The newest membership first.',
    query: ListsOfContactQuery,
    paginated: true,
    response: {
      status: 200,
      description: 'One page of memberships, each with its list.',
      schema: fullPageOf(ListOfContactResource),
    },
    apiErrors: [noContact],
  },
};
