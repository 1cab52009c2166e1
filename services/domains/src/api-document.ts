import { MessageResponse, pageOf, ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import { CreateDomainBody } from './sending-domains/create-domain.rules.js';
import { ListDomainsQuery } from './sending-domains/list-domains.js';
import { DomainErrors } from './sending-domains/domain-errors.js';
import { DomainResource } from './sending-domains/domain.resource.js';
import { RecordProblems } from './sending-domains/record-problems.resource.js';
import {
  DnsChanges,
  DnsHostList,
  DnsHostResource,
  RotationBody,
  TokenBody,
  WriteBody,
} from './dns-host-tokens/dns-host.schema.js';
import { SetupLink } from './domain-connect/setup-link.schema.js';
import { ReportRecords } from './report-records/report-records.schema.js';
import { UpdateDomainBody } from './sending-domains/update-domain.rules.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;

const notFound = { status: 404, when: says(DomainErrors.notFound()) } as const;
const suspended = { status: 403, when: says(DomainErrors.suspended()) } as const;
const noName = { status: 400, when: says(DomainErrors.invalidPath()) } as const;

const administratorsOnly = { status: 403, when: 'The member is no Administrator.' } as const;
const noDnsHost = { status: 404, when: '`dns host not found`' } as const;

/** The part of the API document about the operations of this service (spec 1-platform §11.3). */
export const API_DOCUMENT: ServiceDocument = {
  'domains.list': {
    summary: 'List domains',
    query: ListDomainsQuery,
    paginated: true,
    response: { status: 200, description: 'One page of domains.', schema: pageOf(DomainResource) },
  },
  'domains.create': {
    summary: 'Add a domain',
    description:
      'The answer lists the DNS records to publish; until they are seen, `dns_valid` is false and nothing can be sent from the domain.',
    body: CreateDomainBody,
    example: { domain: 'mail.example.com' },
    response: { status: 201, description: 'The new domain.', schema: DomainResource },
    apiErrors: [
      { status: 400, when: says(DomainErrors.invalidName()) },
      { status: 400, when: says(DomainErrors.banned()) },
      suspended,
      { status: 403, when: says(DomainErrors.limitReached()) },
      { status: 403, when: 'A field that only partner accounts may set.' },
      { status: 409, when: says(DomainErrors.exists()) },
    ],
  },
  'domains.get': {
    summary: 'Get a domain',
    response: { status: 200, description: 'The domain.', schema: DomainResource },
    apiErrors: [noName, notFound],
  },
  'domains.update': {
    summary: 'Update a domain',
    description:
      'A field that is left out, or null, keeps its value; an empty subdomain or selector is the default again. Nothing is stored when a field is refused. A new `dkim_private_key` signs once its record is seen; until then the old one does.',
    body: UpdateDomainBody,
    example: { tracking_subdomain: 'click', sending_type: 'marketing' },
    response: { status: 200, description: 'The domain as it is now.', schema: DomainResource },
    apiErrors: [
      noName,
      { status: 400, when: says(DomainErrors.locked('tracking_subdomain')) },
      { status: 400, when: says(DomainErrors.rotating()) },
      { status: 400, when: says(DomainErrors.managedOnly()) },
      { status: 400, when: says(DomainErrors.keyIsManaged()) },
      suspended,
      { status: 403, when: 'A field that only partner accounts may set.' },
      notFound,
    ],
  },
  'domains.delete': {
    summary: 'Delete a domain',
    description: 'Scopes of keys that are granted for the domain go with it.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'domain deleted successfully' },
    },
    apiErrors: [
      noName,
      suspended,
      { status: 403, when: says(ApiErrors.missingDomainScope('domains:delete')) },
      { status: 403, when: 'Sending is paused on the domain.' },
      notFound,
    ],
  },
  'domains.check-dns': {
    summary: 'Check the DNS records of a domain',
    description:
      'Looks the records up now and answers the domain as it is after that. A check less than a minute ago is answered again without a look-up.',
    response: { status: 200, description: 'The domain after the check.', schema: DomainResource },
    apiErrors: [noName, suspended, notFound, { status: 503, when: says(DomainErrors.zoneUnavailable()) }],
  },
  'sub-accounts.unpause-domain': {
    summary: 'Let a sub-account send from a paused domain again',
    description: 'A domain that is not paused is answered as it is. Sends are taken again at once.',
    response: { status: 200, description: 'The domain of the sub-account.', schema: DomainResource },
    apiErrors: [noName, { status: 404, when: says(ApiErrors.notFound('sub account')) }, notFound],
  },
};

/** Operations of the console in this service (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  'domains.pause': {
    summary: 'Pause a domain',
    description:
      'Sends from the domain are refused from now on; messages that wait stay until it resumes, or fail at the end of their delivery window. A domain that is paused already is answered as it is.',
    response: { status: 200, description: 'The domain as it is now.', schema: DomainResource },
    apiErrors: [noName, suspended, notFound],
  },
  'domains.resume': {
    summary: 'Resume a domain',
    description:
      'Ends a pause by a member. Sends are taken again at once, and messages that wait go out. Bounces before the pause still count. A domain that is not paused is answered as it is.',
    response: { status: 200, description: 'The domain as it is now.', schema: DomainResource },
    apiErrors: [noName, suspended, { status: 403, when: says(DomainErrors.notOwnersPause()) }, notFound],
  },
  'record-problems.list': {
    summary: 'List the records of a domain that are not right',
    description:
      'Each with the finding of the last check in its place, and the way to mend it. Looks nothing up: `domains.check-dns` does.',
    response: { status: 200, description: 'None of them when all are right.', schema: RecordProblems },
    apiErrors: [noName, notFound],
  },
  'setup-links.get': {
    summary: 'Get the link that publishes the records of a domain',
    description:
      'By Domain Connect: where the DNS host of the domain knows the template of this installation, `url` is a page of the host that shows the missing records and publishes them with the consent of the owner of the zone. Looks DNS and the host up at each request.',
    response: { status: 200, description: 'The link, or the reason why there is none.', schema: SetupLink },
    apiErrors: [noName, notFound],
  },
  'report-records.get': {
    summary: 'Get the records that bring reports about a domain',
    description:
      'The DMARC record with the address of the domain for reports (`rua`, `ruf`), and the record for reports about SMTP TLS. An existing record keeps what its owner has in it. Looks DNS up at each request.',
    response: {
      status: 200,
      description: 'The records.',
      schema: ReportRecords,
      example: {
        object: 'report_records',
        domain: 'shop.example.com',
        address: 'reports+agma6pqaab6bdiwubrpj426wj4@rp.mail.example.com',
        records: [
          {
            kind: 'tls',
            type: 'TXT',
            host: '_smtp._tls.shop.example.com',
            content: 'v=TLSRPTv1; rua=mailto:reports+agma6pqaab6bdiwubrpj426wj4@rp.mail.example.com',
            state: 'missing',
            found: [],
          },
        ],
      },
    },
    apiErrors: [noName, notFound],
  },
  'dns-hosts.list': {
    summary: 'List zones with a token of their DNS host',
    response: { status: 200, description: 'All of them, by name.', schema: DnsHostList },
    apiErrors: [administratorsOnly],
  },
  'dns-hosts.create': {
    summary: 'Give the token of a DNS host',
    description:
      'For a zone at Cloudflare, Route 53 or deSEC. The token is tried once, stored encrypted, and never shown again; it takes the place of an earlier one for the zone. Records are written on request alone, except for DKIM records with `allow_rotation`.',
    body: TokenBody,
    example: { zone: 'example.com', host: 'desec', token: 'a-token-of-the-host' },
    response: { status: 201, description: 'The zone.', schema: DnsHostResource },
    apiErrors: [
      { status: 400, when: says(DomainErrors.invalidName()) },
      { status: 400, when: 'The host does not accept the token, or has no such zone.' },
      administratorsOnly,
      suspended,
    ],
  },
  'dns-hosts.update': {
    summary: 'Let DKIM records be written without a request, or not',
    body: RotationBody,
    example: { allow_rotation: true },
    response: { status: 200, description: 'The zone as it is now.', schema: DnsHostResource },
    apiErrors: [administratorsOnly, noDnsHost],
  },
  'dns-hosts.remove': {
    summary: 'Delete the token of a DNS host',
    description: 'Records stay as they are. Delete the token at the host, too.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'token deleted' },
    },
    apiErrors: [administratorsOnly, noDnsHost],
  },
  'dns-changes.get': {
    summary: 'Compare the records of a domain with its zone',
    description:
      'Reads the zone at its DNS host, with the token for the nearest zone, and says for each record what a write would do. A record of others is never replaced: an SPF record gets our include, and everything else in the place of a record is `refused`.',
    response: { status: 200, description: 'The difference.', schema: DnsChanges },
    apiErrors: [noName, notFound],
  },
  'dns-changes.write': {
    summary: 'Write the records of a domain at its DNS host',
    description:
      'Writes what the difference with this digest shows, and reads the zone again: the answer has the records as they are now, also after an error of the host. It may be repeated.',
    body: WriteBody,
    example: { digest: 'h3Zt0qL4yV8sN2mXcB7dKw' },
    response: { status: 200, description: 'The difference as it is now.', schema: DnsChanges },
    apiErrors: [
      noName,
      suspended,
      notFound,
      { status: 409, when: 'The zone has changed since, or is being written.' },
    ],
  },
};
