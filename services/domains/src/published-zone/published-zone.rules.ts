import { isIPv4, isIPv6 } from 'node:net';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { dnsRecords } from '../dns-records/dns-records.rules.js';
import { dkimAlias, dkimKeyRecord } from '../dns-records/effective-names.rules.js';
import { serviceHosts } from '../dns-records/service-hosts.js';
import type { DkimSlot, SendingDomain } from '../sending-domain/sending-domain.js';

/** A record as a zone file or a provider's API takes it. */
export interface PublishedRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT';
  host: string;
  content: string;
}

export interface PublishedZone {
  /** what the owner of each domain is asked to publish */
  domains: { domain: string; records: PublishedRecord[] }[];
  /** what the operator's own zone must answer (spec 1-platform §11.2 rule 6) */
  serviceRecords: PublishedRecord[];
}

export interface OwnZone {
  serviceZone: string;
  /** the name with which the delivery worker greets */
  ehloName: string;
  /** addresses from which messages leave */
  sendingAddresses: readonly string[];
}

export function publishedZone(
  domains: readonly SendingDomain[],
  accountOf: (accountId: string) => AccountSettings,
  own: OwnZone,
): PublishedZone {
  return {
    domains: domains.map((domain) => ({
      domain: domain.domain,
      records: dnsRecords(domain, accountOf(domain.account_id).records).map(({ type, host, content }) => ({
        type,
        host,
        content,
      })),
    })),
    serviceRecords: [...hostRecords(own), ...domains.flatMap((domain) => aliasRecords(domain, own))],
  };
}

/** Both slots of a managed domain: the standby's key is there before it is needed. */
function aliasRecords(domain: SendingDomain, own: OwnZone): PublishedRecord[] {
  if (domain.dns_mode !== 'managed') return [];
  const hosts = serviceHosts(own.serviceZone);
  return ([1, 2] as DkimSlot[]).flatMap((slot) => {
    const key = domain.public_keys[slot];
    if (key === undefined) return [];
    const host = dkimAlias(domain.domain_token, slot, hosts);
    return [{ type: 'TXT' as const, host, content: dkimKeyRecord(key) }];
  });
}

function hostRecords({ serviceZone, ehloName, sendingAddresses }: OwnZone): PublishedRecord[] {
  const hosts = serviceHosts(serviceZone);
  const spf = sendersRecord(sendingAddresses);
  const { tracking, subscription, media, mx } = hosts;
  return [
    { type: 'TXT', host: hosts.spf, content: spf },
    { type: 'TXT', host: hosts.return_path, content: spf },
    { type: 'MX', host: hosts.return_path, content: `10 ${mx}` },
    // the listeners of one machine; IPv4 alone, since an address that nobody listens on costs its callers a wait
    ...[tracking, subscription, media, mx].flatMap((host) =>
      addressRecords(
        host,
        sendingAddresses.filter((address) => isIPv4(address)),
      ),
    ),
    ...addressRecords(ehloName, sendingAddresses),
    // receivers check the name in the greeting as well when the return-path is empty (RFC 7208 §2.4)
    { type: 'TXT', host: ehloName, content: spf },
  ];
}

function sendersRecord(addresses: readonly string[]): string {
  const senders = addresses.map(
    (address) => `${isIPv6(address.split('/')[0] ?? '') ? 'ip6' : 'ip4'}:${address}`,
  );
  return ['v=spf1', ...senders, '-all'].join(' ');
}

/** Networks, written with a length, have no single address. */
function addressRecords(host: string, addresses: readonly string[]): PublishedRecord[] {
  const v4 = addresses
    .filter((address) => isIPv4(address))
    .map((content) => ({ type: 'A' as const, host, content }));
  const v6 = addresses
    .filter((address) => isIPv6(address))
    .map((content) => ({ type: 'AAAA' as const, host, content }));
  return [...v4, ...v6];
}
