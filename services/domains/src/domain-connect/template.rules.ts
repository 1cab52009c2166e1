import { SUBDOMAIN_KINDS, type DnsRecordKind, type SendingDomain } from '../database/entities.js';
import {
  dkimAlias,
  DMARC_POLICY,
  dnsRecords,
  effectiveLabel,
  serviceHosts,
  wantedSelector,
  type DnsRecord,
  type RecordsContext,
} from '../dns/dns-records.rules.js';

/** A record of a template (draft-ietf-dconn-domainconnect-04, section 6.2); `%name%` is a variable. */
interface TemplateRecord {
  readonly type: 'CNAME' | 'SPFM' | 'TXT';
  readonly groupId: string;
  readonly host: string;
  readonly pointsTo?: string;
  readonly spfRules?: string;
  readonly data?: string;
  readonly ttl?: number;
  readonly txtConflictMatchingMode?: 'Prefix';
  readonly txtConflictMatchingPrefix?: string;
}

export interface Template {
  readonly providerId: string;
  readonly providerName: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly version: number;
  readonly description: string;
  readonly variableDescription: string;
  readonly syncPubKeyDomain: string;
  readonly syncRedirectDomain?: string;
  readonly records: readonly TemplateRecord[];
}

const TTL = 3_600;
/** Increased with each change of the records below: DNS hosts have the former one until they take the new one. */
const VERSION = 1;

/** Each kind of record is a group of its own, so that a link names those that are missing and no others. */
const groupOf = (kind: DnsRecordKind): string => kind.replaceAll('_', '-');

/**
 * The template that an operator registers with DNS hosts: the same for all domains of the installation. MX records are not in
 * it: they would replace those by which the owner gets mail.
 */
export function templateOf(given: {
  providerId: string;
  serviceId: string;
  name: string;
  serviceZone: string;
  /** host of the console, to which DNS hosts lead back */
  redirectHost: string | undefined;
}): Template {
  const hosts = serviceHosts(given.serviceZone);
  const alias = (kind: DnsRecordKind, host: string, pointsTo: string): TemplateRecord => ({
    type: 'CNAME',
    groupId: groupOf(kind),
    host,
    pointsTo,
    ttl: TTL,
  });
  return {
    providerId: given.providerId,
    providerName: given.name,
    serviceId: given.serviceId,
    serviceName: `${given.name}: sending mail`,
    version: VERSION,
    description: 'SPF, DKIM, DMARC and the hosts of links, for a domain that sends mail.',
    variableDescription:
      '%selector%: DKIM selector; %token%: name of the domain in the zone of the service; %return_path%, %tracking%, %subscription%, %media%: labels that the domain has chosen.',
    syncPubKeyDomain: given.serviceZone,
    ...(given.redirectHost === undefined ? {} : { syncRedirectDomain: given.redirectHost }),
    records: [
      { type: 'SPFM', groupId: groupOf('spf'), host: '@', spfRules: `include:${hosts.spf}` },
      alias('dkim', '%selector%._domainkey', dkimAlias('%token%', 1, hosts)),
      alias('dkim_standby', '%selector%2._domainkey', dkimAlias('%token%', 2, hosts)),
      {
        type: 'TXT',
        groupId: groupOf('dmarc'),
        host: '_dmarc',
        data: DMARC_POLICY,
        ttl: TTL,
        txtConflictMatchingMode: 'Prefix',
        txtConflictMatchingPrefix: 'v=DMARC1',
      },
      ...SUBDOMAIN_KINDS.map((kind) => alias(kind, `%${kind}%`, hosts[kind])),
    ],
  };
}

/** The records of a domain that have not been seen. */
export interface MissingRecords {
  /** those that the template publishes */
  readonly byTemplate: readonly DnsRecord[];
  /** the others: keys of the owner's own, names of a partner, MX records */
  readonly byHand: readonly DnsRecord[];
}

export function missingRecords(
  domain: SendingDomain,
  context: RecordsContext,
  serviceZone: string,
): MissingRecords {
  const missing = dnsRecords(domain, context).filter(({ propagated }) => !propagated);
  const hosts = serviceHosts(serviceZone);
  const isInTemplate = ({ kind, type, content }: DnsRecord): boolean => {
    if (kind === 'spf') return context.hosts.spf === hosts.spf;
    if (kind === 'dkim' || kind === 'dkim_standby')
      return type === 'CNAME' && content.endsWith(`.${hosts.dkim_zone}`);
    if (kind === 'mx') return false;
    return kind === 'dmarc' || content === hosts[kind];
  };
  return {
    byTemplate: missing.filter(isInTemplate),
    byHand: missing.filter((record) => !isInTemplate(record)),
  };
}

/** The groups of the records, and the values of the variables that occur in them. */
export function parametersOf(
  domain: SendingDomain,
  { account }: RecordsContext,
  records: readonly DnsRecord[],
): Record<string, string> {
  const kinds = new Set(records.map(({ kind }) => kind));
  const hasAlias = kinds.has('dkim') || kinds.has('dkim_standby');
  return {
    groupId: [...kinds].map(groupOf).join(','),
    ...(hasAlias ? { selector: wantedSelector(domain, account), token: domain.domainToken } : {}),
    ...Object.fromEntries(
      SUBDOMAIN_KINDS.filter((kind) => kinds.has(kind)).map((kind) => [
        kind,
        effectiveLabel(domain, kind, account),
      ]),
    ),
  };
}
