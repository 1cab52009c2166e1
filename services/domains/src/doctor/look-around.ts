import { isIP } from 'node:net';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { eachBounded } from '@postmesh/concurrency';
import type { DoctorFacts } from '@postmesh/domains-contract';
import { AddressPolicy, OutgoingHttp, PublishedPolicies, readExtraCa, readStsRecord } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { SendingDomain } from '../database/entities.js';
import { DnsBudget } from '../dns/dns-budget.js';
import { organisationalDomain } from '../dns/dns-records.rules.js';
import { DNS_RESOLVER, type DnsLookups, type DnsResolver, type Lookup } from '../dns/dns-resolver.port.js';
import { readDmarcInForce } from '../dns/record-judgements.js';
import { RecordLookups } from '../dns/record-lookups.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { namesOf, reversed, reverseName, type SeenAddress } from './addresses.rules.js';
import { logoUrl, MAX_LOGO_BYTES, readBimi, type SeenBimi, type SeenLogo } from './bimi.rules.js';
import { shownZone, TEST_ENTRIES, type SeenList } from './block-lists.rules.js';
import type { SeenRecords } from './records.rules.js';
import type { SeenTransport } from './transport.rules.js';

/** For all look-ups of a domain, and for all of the sending addresses; both fit into a request. */
const DNS_BUDGET_MS = 8_000;
const HTTP_MS = 6_000;
const MAX_ADDRESSES = 16;
const AT_ONCE = 16;

const PUBLIC = new AddressPolicy([]);

/** The publications about a domain. */
export interface SeenDomain {
  records: SeenRecords;
  transport: SeenTransport;
  bimi: SeenBimi;
  lists: readonly SeenList[];
}

/** The publications about the addresses of this installation: the same for every domain. */
export interface SeenAddresses {
  addresses: readonly SeenAddress[];
  lists: readonly SeenList[];
}

/** Looks everything up that the doctor judges, in bounded time. Names and URLs come from customers' records. */
@Injectable()
export class LookAround implements OnModuleDestroy {
  private readonly http: OutgoingHttp;
  private readonly policies: PublishedPolicies;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(DNS_RESOLVER) private readonly resolver: DnsResolver,
    private readonly recordLookups: RecordLookups,
  ) {
    const { dnsServers, extraCaFile, outgoingHttpAllow, mtaStsPort: port } = settings;
    this.http = new OutgoingHttp({
      allow: outgoingHttpAllow,
      dnsServers,
      connectionsPerOrigin: 2,
      ca: readExtraCa(extraCaFile),
    });
    this.policies = new PublishedPolicies({ http: this.http, dnsServers, port });
  }

  domain(domain: SendingDomain, account: AccountSettings): Promise<SeenDomain> {
    return DnsBudget.within(DNS_BUDGET_MS, this.resolver, async (dns) => {
      const name = domain.domain;
      const [findings, policy, transport, bimi, lists] = await Promise.all([
        this.recordLookups.seen(dns, domain, account),
        readDmarcInForce(dns, name),
        this.transport(dns, name),
        this.bimi(dns, name),
        this.domainLists(dns, name),
      ]);
      const { reading: dmarc, host, isInherited } = policy;
      const records = { domain: name, findings, dmarc, dmarcHost: host };
      return { records, transport, bimi: { ...bimi, dmarc, isInherited }, lists };
    });
  }

  /** @param ours public ones */
  addresses(ours: readonly string[]): Promise<SeenAddresses> {
    return DnsBudget.within(DNS_BUDGET_MS, this.resolver, async (dns) => {
      const [addresses, lists] = await Promise.all([
        Promise.all(ours.map((address) => seeAddress(dns, address))),
        ours.length === 0
          ? []
          : seeLists(dns, this.settings.addressLists, {
              tests: TEST_ENTRIES.addresses,
              entries: new Map(ours.map((address) => [address, reversed(address)])),
            }),
      ]);
      return { addresses, lists };
    });
  }

  /**
   * The public addresses from which mail of this installation leaves. Behind relays theirs are those that receivers see.
   * @param egress sources of operators; undefined: not known
   */
  ownAddresses(egress: DoctorFacts['egress']): string[] {
    const { localInternet, egressRelays, egressSources, sendingAddresses } = this.settings;
    if (localInternet || (egress?.only_relays ?? egressRelays.length > 0)) return [];
    const given = [
      ...egressSources.map(({ address }) => address),
      ...sendingAddresses,
      ...(egress?.addresses ?? []),
    ];
    const isPublic = (address: string) => isIP(address) !== 0 && PUBLIC.permits(address);
    return [...new Set(given)].filter(isPublic).slice(0, MAX_ADDRESSES);
  }

  async onModuleDestroy(): Promise<void> {
    await this.policies.close();
  }

  /** Names under `.test` are on no list, and local-internet has none. */
  private async domainLists(dns: DnsLookups, name: string): Promise<SeenList[]> {
    if (this.settings.localInternet) return [];
    const names = new Set([name, organisationalDomain(name)]);
    const entries = new Map([...names].map((one) => [one, one]));
    return seeLists(dns, this.settings.domainLists, { tests: TEST_ENTRIES.domains, entries });
  }

  private async transport(dns: DnsLookups, domain: string): Promise<SeenTransport> {
    const [mx, sts, rpt] = await Promise.all([
      dns.mx(domain),
      dns.txt(`_mta-sts.${domain}`),
      dns.txt(`_smtp._tls.${domain}`),
    ]);
    const isAnnounced = sts.kind === 'found' && readStsRecord(sts.values) !== undefined;
    const policy = isAnnounced ? await this.policies.fetch(domain, HTTP_MS) : undefined;
    return { domain, mx, sts, rpt, policy };
  }

  /** The own record, or the one of the organisational domain. */
  private async bimi(
    dns: DnsLookups,
    domain: string,
  ): Promise<Pick<SeenBimi, 'domain' | 'host' | 'texts' | 'logo'>> {
    const [own, above] = [domain, organisationalDomain(domain)].map((name) => `default._bimi.${name}`);
    let [host, texts] = [own as string, await dns.txt(own as string)];
    if (texts.kind === 'none' && above !== own) {
      const inherited = await dns.txt(above as string);
      if (inherited.kind === 'found') [host, texts] = [above as string, inherited];
    }
    const url = logoUrl(readBimi(texts));
    return { domain, host, texts, logo: url && (await this.logo(url)) };
  }

  private async logo(url: URL): Promise<SeenLogo> {
    const response = await this.http.fetch({
      url,
      headers: { accept: 'image/svg+xml' },
      timeoutMs: HTTP_MS,
      maxResponseBytes: MAX_LOGO_BYTES,
    });
    if (response.kind === 'failed') {
      const isLong = response.trouble === 'too-long';
      const size = `it has more than ${MAX_LOGO_BYTES / 1_024} KB`;
      return { kind: 'failed', reason: isLong ? size : `${response.trouble} (${response.code})` };
    }
    if (response.status !== 200) return { kind: 'failed', reason: `status ${response.status}` };
    return { kind: 'found', contentType: response.contentType, text: response.body.toString('utf8') };
  }
}

async function seeAddress(dns: DnsLookups, address: string): Promise<SeenAddress> {
  const names = await dns.ptr(reverseName(address));
  const forward = await Promise.all(
    namesOf(names).map(async (name): Promise<[string, Lookup<string>]> => [name, await dns.addresses(name)]),
  );
  return { address, names, forward: new Map(forward) };
}

interface Wanted {
  tests: { readonly present: readonly string[]; readonly absent: string };
  /** subject → its name in a list */
  entries: ReadonlyMap<string, string>;
}

async function seeLists(
  dns: DnsLookups,
  zones: readonly string[],
  { tests, entries }: Wanted,
): Promise<SeenList[]> {
  const labels = [...tests.present, tests.absent, ...entries.values()];
  const found = new Map<string, Lookup<string>>();
  const names = zones.flatMap((zone) => labels.map((label) => `${label}.${zone}`));
  await eachBounded(names, AT_ONCE, async (name) => void found.set(name, await dns.ipv4(name)));
  return zones.map((zone) => {
    const of = (label: string): Lookup<string> =>
      found.get(`${label}.${zone}`) ?? { kind: 'unknown', reason: 'not asked' };
    return {
      zone: shownZone(zone),
      present: tests.present.map(of),
      absent: of(tests.absent),
      entries: new Map([...entries].map(([subject, label]) => [subject, of(label)])),
    };
  });
}
