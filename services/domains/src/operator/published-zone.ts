import { isIPv4, isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import { feedbackLoopAddress, type Settings } from '@postmesh/settings';
import type { DkimSlot, SendingDomain } from '../database/entities.js';
import {
  dkimAlias,
  dkimKeyRecord,
  dnsRecords,
  type RecordsContext,
  serviceHosts,
} from '../dns/dns-records.rules.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import {
  EGRESS_ADDRESSES_VERSION,
  EgressAddresses,
  type EgressAddress,
} from '../egress-addresses/egress-addresses.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';

/** A record in the form of a zone file or a provider's API. */
interface PublishedRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT';
  host: string;
  content: string;
}

interface OwnZone {
  serviceZone: string;
  /** source addresses of outgoing messages */
  sendingAddresses: readonly string[];
  /** EHLO names of the delivery worker, and the addresses of each */
  greetings: ReadonlyMap<string, readonly string[]>;
  /** host of the address of feedback loops */
  feedbackHost: string;
}

/**
 * All DNS records of this installation, for the program that publishes them: local-internet, or an operator's client
 * of a DNS provider. It is read often and changes seldom, so the response is cached as bytes until a change.
 */
@Injectable()
export class PublishedZone {
  private kept: { version: string; zone: ApiResponse } | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly egress: EgressAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async get(): Promise<ApiResponse> {
    const version = await this.version();
    if (this.kept?.version === version) return this.kept.zone;
    const zone = await this.render();
    // read before the rows: after a change in between, the next request renders again
    this.kept = { version, zone };
    return zone;
  }

  private async render(): Promise<ApiResponse> {
    const [domains, accountOf, made] = await Promise.all([
      this.domains.all(),
      this.accounts.ofMany(),
      this.egress.list(),
    ]);
    const own = ownZone(this.settings, made);
    return apiResponse(200, {
      // the records for the owner of each domain
      domains: domains.map((domain) => ownerRecords(domain, accountOf(domain.accountId).records)),
      // the records of the operator's own zone (spec 1-platform §11.2 rule 6)
      serviceRecords: [...hostRecords(own), ...domains.flatMap((domain) => aliasRecords(domain, own))],
    });
  }

  /**
   * Every visible change of a domain raises its revision; a created or deleted domain changes the count or, with
   * another at the same time, the newest id.
   */
  private async version(): Promise<string> {
    const rows: { version: string }[] = await this.dataSource.query(
      `select concat_ws('/', count(*), sum(revision), max(updated_at), max(id::text),
         (select concat_ws('/', count(*), max(updated_at)) from account_settings),
         ${EGRESS_ADDRESSES_VERSION}) as version from domains`,
    );
    return rows[0]?.version ?? '';
  }
}

/** The records of the operator's own zone, by the settings alone: without DKIM keys and without sources of operators. */
export const zoneRecords = (settings: Settings): PublishedRecord[] => hostRecords(ownZone(settings, []));

/** @param made sources of operators */
function ownZone(settings: Settings, made: readonly EgressAddress[]): OwnZone {
  const { serviceZone, sendingAddresses, egressSources, ehloName } = settings;
  const feedbackHost = feedbackLoopAddress(settings).replace(/^.*@/, '');
  const only = ehloName ?? `mta.${serviceZone}`;
  const greetings = new Map<string, string[]>(
    egressSources.length === 0
      ? [[only, sendingAddresses.filter((one) => made.every(({ address }) => address !== one))]]
      : [],
  );
  const named = egressSources.map(({ address }) => address);
  for (const { ehlo, address } of [...egressSources, ...made.filter((one) => !named.includes(one.address))])
    greetings.set(ehlo, [...(greetings.get(ehlo) ?? []), address]);
  const addresses = [...new Set([...sendingAddresses, ...[...greetings.values()].flat()])];
  return { serviceZone, feedbackHost, sendingAddresses: addresses, greetings };
}

function ownerRecords(domain: SendingDomain, context: RecordsContext) {
  const records = dnsRecords(domain, context).map(({ type, host, content }) => ({ type, host, content }));
  return { domain: domain.domain, records };
}

/** Both slots of a managed domain: the standby's key is published before it is needed. */
function aliasRecords(domain: SendingDomain, own: OwnZone): PublishedRecord[] {
  if (domain.dnsMode !== 'managed') return [];
  const hosts = serviceHosts(own.serviceZone);
  return ([1, 2] as DkimSlot[]).flatMap((slot) => {
    const key = domain.publicKeys[slot];
    if (key === undefined) return [];
    const host = dkimAlias(domain.domainToken, slot, hosts);
    return [{ type: 'TXT' as const, host, content: dkimKeyRecord(key) }];
  });
}

function hostRecords({ serviceZone, feedbackHost, greetings, sendingAddresses }: OwnZone): PublishedRecord[] {
  const { spf, return_path, tracking, subscription, media, mx } = serviceHosts(serviceZone);
  const senders = sendersRecord(sendingAddresses);
  const isOurs = `.${feedbackHost}`.endsWith(`.${serviceZone.toLowerCase()}`);
  const takingMail = [...new Set([return_path, ...(isOurs ? [feedbackHost] : [])])];
  const v4 = sendingAddresses.filter((address) => isIPv4(address));
  return [
    { type: 'TXT', host: spf, content: senders },
    { type: 'TXT', host: return_path, content: senders },
    ...takingMail.map((host) => ({ type: 'MX' as const, host, content: `10 ${mx}` })),
    // receivers send reports about other domains to us only where we agree (RFC 7489 §7.1)
    ...(isOurs
      ? [{ type: 'TXT' as const, host: `*._report._dmarc.${feedbackHost}`, content: 'v=DMARC1' }]
      : []),
    // the listeners of one machine; only IPv4, since an address without a listener delays its callers
    ...[tracking, subscription, media, mx].flatMap((host) => addressRecords(host, v4)),
    ...[...greetings].flatMap(([host, addresses]) => [
      ...addressRecords(host, addresses),
      // receivers check the name in the greeting as well when the return-path is empty (RFC 7208 §2.4)
      { type: 'TXT' as const, host, content: senders },
    ]),
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
  const of = (type: 'A' | 'AAAA', isOne: (address: string) => boolean) =>
    addresses.filter((address) => isOne(address)).map((content) => ({ type, host, content }));
  return [...of('A', isIPv4), ...of('AAAA', isIPv6)];
}
