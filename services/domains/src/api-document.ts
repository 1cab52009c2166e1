import { MessageAnswer, pageOf, Refusals, type ServiceDocument } from '@postmesh/contracts';
import { CreateDomainBody } from './create-domain/create-domain.schema.js';
import { ListDomainsQuery } from './list-domains/list-domains.query.js';
import { DomainRefusals } from './sending-domain/domain-refusals.js';
import { DomainResource } from './sending-domain/domain.resource.js';

const says = (refusal: { message: string }): string => `\`${refusal.message}\``;

const notFound = { status: 404, when: says(DomainRefusals.notFound()) } as const;
const suspended = { status: 403, when: says(DomainRefusals.suspended()) } as const;
const noName = { status: 400, when: says(DomainRefusals.invalidPath()) } as const;

/** What the API document says about the operations of this service (spec 1-platform §11.3). */
export const API_DOCUMENT: ServiceDocument = {
  'domains.list': {
    summary: 'List domains',
    query: ListDomainsQuery,
    paginated: true,
    answer: { status: 200, description: 'One page of domains.', schema: pageOf(DomainResource) },
  },
  'domains.create': {
    summary: 'Add a domain',
    description:
      'The answer lists the DNS records to publish; until they are seen, `dns_valid` is false and nothing can be sent from the domain.',
    body: CreateDomainBody,
    example: { domain: 'mail.example.com' },
    answer: { status: 201, description: 'The new domain.', schema: DomainResource },
    refusals: [
      { status: 400, when: says(DomainRefusals.invalidName()) },
      { status: 400, when: says(DomainRefusals.banned()) },
      suspended,
      { status: 403, when: says(DomainRefusals.limitReached()) },
      { status: 403, when: 'A field that only partner accounts may set.' },
      { status: 409, when: says(DomainRefusals.exists()) },
    ],
  },
  'domains.get': {
    summary: 'Get a domain',
    answer: { status: 200, description: 'The domain.', schema: DomainResource },
    refusals: [noName, notFound],
  },
  'domains.delete': {
    summary: 'Delete a domain',
    description: 'Scopes of keys that are granted for the domain go with it.',
    answer: { status: 200, description: 'It is deleted.', schema: MessageAnswer },
    refusals: [
      noName,
      suspended,
      { status: 403, when: says(Refusals.missingDomainScope('delete', 'domains')) },
      { status: 403, when: 'Sending is paused on the domain.' },
      notFound,
    ],
  },
  'domains.check-dns': {
    summary: 'Check the DNS records of a domain',
    description:
      'Looks the records up now and answers the domain as it is after that. A check less than a minute ago is answered again without a look-up.',
    answer: { status: 200, description: 'The domain after the check.', schema: DomainResource },
    refusals: [noName, suspended, notFound, { status: 503, when: says(DomainRefusals.zoneUnavailable()) }],
  },
  'sub-accounts.unpause-domain': {
    summary: 'Let a sub-account send from a paused domain again',
    description: 'A domain that is not paused is answered as it is. Sends are taken again at once.',
    answer: { status: 200, description: 'The domain of the sub-account.', schema: DomainResource },
    refusals: [noName, { status: 404, when: says(Refusals.notFound('sub account')) }, notFound],
  },
};
