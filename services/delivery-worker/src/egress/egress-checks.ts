import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { AddressPolicy } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Periodic } from '@postmesh/work';
import type { RouteHost } from '../smtp-client/route.js';
import { openAnyAddress } from '../smtp-client/open-connection.js';
import { SMTP_TIMEOUTS } from '../smtp-client/timeouts.js';
import { SmtpStream } from '../smtp-client/smtp-stream.js';
import { TlsMemory } from '../smtp-client/tls-memory.js';
import { EXTRA_CA } from '../tls/tls-parts.js';
import {
  judgeAddresses,
  judgeName,
  judgePort,
  judgePresence,
  judgePtr,
  judgeRelay,
  judgeSpf,
  type DnsAnswer,
  type EgressCheck,
  type Reached,
} from './egress-checks.rules.js';
import { WaysRows } from '../ways/ways-rows.js';
import { Ways } from '../ways/ways.js';
import type { PoolInUse } from '../ways/ways.rules.js';
import type { EgressSource } from './egress-source.rules.js';
import { EgressSources } from './egress-sources.js';
import { Relays } from './relays.js';

// All checks run at once, and the operator's client waits for half a minute.
const STEP_MS = 8_000;
const DNS = { timeout: 3_000, tries: 2 };
const SMTP_PORT = 25;
const PUBLIC = new AddressPolicy([]);

/** An address from which messages leave, with the name of its greeting. */
type Way = EgressSource & { readonly address: string };

/** Checks that other servers will accept mail from this machine: names of its addresses, port 25, relays. */
@Injectable()
export class EgressChecks {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly sources: EgressSources,
    private readonly relays: Relays,
    private readonly ways: Ways,
    @Inject(WaysRows) private readonly rows: Pick<WaysRows, 'sawPtr'>,
    @Inject(EXTRA_CA) private readonly extraCa: string | undefined,
  ) {}

  /** @returns nothing where local-internet takes all mail */
  async run(): Promise<EgressCheck[]> {
    if (this.settings.localInternet) return [];
    const relays = (await Promise.all(this.ways.relayPools.map((pool) => this.checkRelays(pool)))).flat();
    if (this.ways.areOnlyRelays) return relays;
    await Promise.all(this.sources.all.map(({ id }) => this.seePtr(id)));
    const own = this.ownAddresses();
    const ways = [...this.sources.all.flatMap((source) => withAddress(source)), ...own];
    const known =
      own.length > 0 || ways.length === 0 ? [judgeAddresses(own.map(({ address }) => address))] : [];
    const [named, reached] = await Promise.all([
      Promise.all(ways.map((way) => this.checkNames(way))),
      Promise.all(this.sources.all.map((source) => this.checkPort(source))),
    ]);
    return [...known, ...this.checkPresence(), ...named.flat(), ...reached.flat(), ...relays];
  }

  /** Without configured sources, messages leave from the addresses in SPF. */
  private ownAddresses(): Way[] {
    const [only] = this.sources.all;
    if (only === undefined || only.address !== undefined) return [];
    return this.settings.sendingAddresses
      .filter((address) => isIP(address) !== 0 && PUBLIC.permits(address))
      .map((address) => ({ ...only, address }));
  }

  /** Looks at the PTR record of a source, and at SPF, for its list. */
  async seePtr(id: string): Promise<void> {
    const source = this.sources.all.find((one) => one.id === id);
    if (source?.address === undefined) return;
    const { address } = source;
    const names = await answer(() => this.resolver().reverse(address));
    const { ok, detail } = judgePtr(address, source.ehloName, names);
    const { ok: isInSpf } = await this.checkSpf(address);
    await this.rows.sawPtr(id, { ok, detail, isInSpf, at: new Date().toISOString() });
  }

  /** The owner of an address may change its PTR record at any time. */
  @Periodic({ name: 'see-ptr-records', everyMs: 6 * 3_600_000, timeoutMs: 600_000 })
  async seePtrs(signal: AbortSignal): Promise<void> {
    for (const { id } of this.sources.all) if (!signal.aborted) await this.seePtr(id);
  }

  private checkPresence(): EgressCheck[] {
    return this.sources.all
      .filter(({ via }) => via === undefined)
      .flatMap((source) => withAddress(source))
      .map((source) => judgePresence(source.address, this.sources.isHere(source)));
  }

  private async checkNames({ address, ehloName }: Way): Promise<EgressCheck[]> {
    const dns = this.resolver();
    const [names, addresses, spf] = await Promise.all([
      answer(() => dns.reverse(address)),
      answer(() => (isIPv6(address) ? dns.resolve6(ehloName) : dns.resolve4(ehloName))),
      this.checkSpf(address),
    ]);
    return [judgePtr(address, ehloName, names), judgeName(address, ehloName, addresses), spf];
  }

  private async checkSpf(address: string): Promise<EgressCheck> {
    const host = `spf.${this.settings.serviceZone}`;
    const texts = await answer(async () =>
      (await this.resolver().resolveTxt(host)).map((parts) => parts.join('')),
    );
    return judgeSpf(address, host, texts);
  }

  private async checkPort(source: EgressSource): Promise<EgressCheck[]> {
    const { egressCheckHost } = this.settings;
    if (egressCheckHost === 'off' || !this.sources.isHere(source)) return [];
    const { host, port } = readTarget(egressCheckHost);
    const reached = await this.reach(source, host, port);
    return [judgePort(source.address ?? 'this machine', egressCheckHost, reached)];
  }

  private async reach(source: EgressSource, host: string, port: number): Promise<Reached> {
    const dns = this.resolver();
    const wants6 = source.address !== undefined && isIPv6(source.address);
    const found = isIP(host)
      ? [host]
      : await answer(() => (wants6 ? dns.resolve6(host) : dns.resolve4(host)));
    if ('trouble' in found) return { unresolved: `DNS gave no answer: ${found.trouble}` };
    const [address] = found;
    if (address === undefined) return { unresolved: `it has no ${wants6 ? 'IPv6' : 'IPv4'} address` };
    try {
      const { goodbyeMs } = SMTP_TIMEOUTS;
      const from = { localAddress: source.address, via: source.via };
      const target = { address, port, ...from, connectMs: STEP_MS, goodbyeMs };
      const stream = await SmtpStream.connect(target);
      const banner = await stream.command('', STEP_MS);
      await stream.command('QUIT', 1_000).catch(() => undefined);
      stream.end();
      return { banner: `${banner.code} ${banner.lines[0] ?? ''}` };
    } catch (error) {
      return { trouble: error instanceof Error ? error.message : String(error) };
    }
  }

  private async checkRelays(pool: PoolInUse): Promise<EgressCheck[]> {
    const routed = await this.relays.route(pool);
    if (routed.kind !== 'route') return [judgeRelay('at all', routed.response, false)];
    return Promise.all(routed.route.hosts.map((host) => this.checkRelay(host)));
  }

  private async checkRelay(host: RouteHost): Promise<EgressCheck> {
    const opened = await openAnyAddress(host, {
      port: SMTP_PORT,
      tls: 'opportunistic',
      ...host.relay,
      ehloName: this.ways.ehloName,
      tlsMemory: new TlsMemory({ extraCa: this.extraCa }),
      timeouts: { ...SMTP_TIMEOUTS, connectMs: STEP_MS, bannerMs: STEP_MS, greetingMs: STEP_MS },
    });
    if (opened.ok) opened.connection.stream.end();
    const trouble = opened.ok ? undefined : opened.failure.response;
    return judgeRelay(
      `${host.name}:${host.relay?.port ?? SMTP_PORT}`,
      trouble,
      host.relay?.auth !== undefined,
    );
  }

  private resolver(): Resolver {
    const resolver = new Resolver(DNS);
    if (this.settings.dnsServers.length > 0) resolver.setServers(this.settings.dnsServers);
    return resolver;
  }
}

const withAddress = (source: EgressSource): Way[] =>
  source.address === undefined ? [] : [{ ...source, address: source.address }];

/** `host`, `host:port`, `[ipv6]:port`; 25 unless it has another port. */
function readTarget(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: Number(port ?? SMTP_PORT) };
}

const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

async function answer(ask: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return NO_RECORD.has(code) ? [] : { trouble: code };
  }
}
