import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { FactoryProvider } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight, withTimeout } from '@postmesh/concurrency';
import { SETTINGS } from '@postmesh/service-host';
import { isLocalMode, type Settings } from '@postmesh/settings';
import { PROVIDERS, type Providers } from '../shaping/providers.table.js';
import { SHAPING_PROVIDERS } from '../shaping/read-providers.js';
import { groupKeyOf, plainName } from './group-key.rules.js';
import { addressCheck, permittedAddresses, type AddressCheck } from './host-addresses.rules.js';
import { MxGroups } from './mx-groups.js';
import { postponedFor, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import {
  explainLocalMode,
  isMailDomain,
  joinAddresses,
  noSuchDomain,
  orderHosts,
  planHosts,
  planRoute,
} from './mx.rules.js';
import type { HostLook, Looked, MxCandidate, MxRecord, MxResult } from './mx.rules.js';

export interface MxResolverOptions {
  /** `ip` or `ip:port`; empty = the resolvers of the system */
  readonly servers?: readonly string[];
  /** timeout of one query to one server */
  readonly timeoutMs?: number | undefined;
  readonly tries?: number | undefined;
  /** once there is an address, how long others are waited for; default 2 s */
  readonly lateMs?: number;
  /** domains kept */
  readonly cacheSize?: number;
  readonly providers?: Providers;
  /** the servers are local-internet's: texts explain that real domains do not exist there */
  readonly local?: boolean;
  /** checks which addresses may not be connected to, at each look-up; all may unless given */
  readonly addressCheck?: () => AddressCheck;
  /** called for each domain that was looked up and has a route */
  readonly learned?: (domain: string, groupKey: string) => void;
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Kept {
  readonly result: MxResult;
  readonly until: number;
}

// c-ares waits for the first reply as long as this server's replies usually take (a quarter of a second or more), for the
// next ones twice as long each: with two tries a name whose own servers need two seconds was never resolved.
const QUERY_MS = 2_000;
const QUERY_TRIES = 5;
const QUERY_DEADLINE_MS = 15_000;
// Many name servers never answer about IPv6. How long to wait for another address or host once there is one.
const LATE_MS = 2_000;
// Lower bound, even if the TTL is shorter.
const MIN_KEEP_MS = 5_000;
// Node gives the TTL of addresses but not of MX records: a change of MX takes effect within this time.
const MAX_KEEP_MS = 300_000;
// For results without the hosts that could not be looked up.
const KEEP_PARTIAL_MS = 30_000;
const KEEP_UNROUTABLE_MS = 30_000;
const KEEP_FAILURE_MS = 5_000;
// A resolver of ours that refuses connections is usually restarting. Messages wait for it without an attempt that
// counts; a longer outage is a failure of DNS like any other.
const AWAY_MS = 60_000;
const WHILE_AWAY_MS = 5_000;

// c-ares: the name exists without such records; the name does not exist.
const ABSENT = 'ENODATA';
const NO_SUCH_NAME = 'ENOTFOUND';
// No server accepted the query. Every other error except a timeout is a server's answer.
const REFUSED_CONNECTION = 'ECONNREFUSED';
const NO_ANSWER = new Set([REFUSED_CONNECTION, 'ETIMEOUT', 'ETIMEDOUT', 'ECANCELLED', 'unknown']);

/**
 * Finds the mail hosts of a domain (spec 2-messages §14.1). Results are kept for their TTL, within bounds; one lookup
 * serves all messages that wait for the same domain.
 */
export class MxResolver {
  private readonly resolver: Resolver;
  private readonly kept: LRUCache<string, Kept>;
  private readonly lookups = new SingleFlight<string, MxResult>();
  private readonly providers: Providers;
  private readonly local: boolean;
  private readonly addressCheck: () => AddressCheck;
  private readonly learned: (domain: string, groupKey: string) => void;
  private readonly lateMs: number;
  /** the monotonic clock, ms */
  readonly now: () => number;
  private readonly random: () => number;
  /** since when our resolvers have refused connections, by `now` */
  private awaySince: number | undefined;

  constructor(options: MxResolverOptions = {}) {
    this.resolver = new Resolver({
      timeout: options.timeoutMs ?? QUERY_MS,
      tries: options.tries ?? QUERY_TRIES,
    });
    if (options.servers !== undefined && options.servers.length > 0)
      this.resolver.setServers(options.servers);
    this.kept = new LRUCache({ max: options.cacheSize ?? 20_000 });
    this.providers = options.providers ?? PROVIDERS;
    this.local = options.local ?? false;
    this.addressCheck = options.addressCheck ?? (() => () => undefined);
    this.learned = options.learned ?? (() => undefined);
    this.lateMs = options.lateMs ?? LATE_MS;
    this.now = options.now ?? (() => performance.now());
    this.random = options.random ?? Math.random;
  }

  /**
   * @param domain as in an address; a route comes with its ties shuffled each time. Never rejects for failures of DNS.
   */
  async resolve(domain: string): Promise<MxResult> {
    const name = plainName(domain);
    if (!isMailDomain(name)) return noSuchDomain('the domain of the address is no domain name');
    const result = this.fresh(name) ?? (await this.lookups.run(name, () => this.lookUp(name)));
    return result.kind === 'route' ? { ...result, hosts: orderHosts(result.hosts, this.random) } : result;
  }

  /** Cancels queries in flight: their messages wait. */
  close(): void {
    this.resolver.cancel();
  }

  private fresh(name: string): MxResult | undefined {
    const kept = this.kept.get(name);
    return kept !== undefined && kept.until > this.now() ? kept.result : undefined;
  }

  private async lookUp(name: string): Promise<MxResult> {
    const plan = planHosts(name, await this.mx(name));
    if (plan.kind !== 'hosts') return this.keepFailure(name, plan);
    const faultOf = this.addressCheck();
    const looks = await unlessLate<HostLook>(
      plan.candidates.map(async (host) =>
        permittedAddresses(await this.addresses(host), (address) => faultOf(address, host.name)),
      ),
      this.lateMs,
    );
    const planned = planRoute(
      name,
      plan.candidates.map((host, at) => ({ host, looked: looks[at] ?? LATE })),
    );
    if (planned.kind !== 'route') return this.keepFailure(name, planned);
    const groupKey = groupKeyOf(plan.exchanges, name, this.providers);
    this.learned(name, groupKey);
    return this.keep(name, { ...planned, groupKey }, ttlOf(looks));
  }

  private keepFailure(name: string, outcome: SmtpOutcome): MxResult {
    return this.keep(name, this.local ? explainLocalMode(name, outcome) : outcome, undefined);
  }

  private mx(name: string): Promise<Looked<readonly MxRecord[]>> {
    return this.look(async () => ({ value: await this.resolver.resolveMx(name) }));
  }

  private async addresses(host: MxCandidate): Promise<Looked<readonly string[]>> {
    const looks = [
      this.look(async () => withTtl(await this.resolver.resolve4(host.name, { ttl: true }))),
      this.look(async () => withTtl(await this.resolver.resolve6(host.name, { ttl: true }))),
    ];
    const [v4 = LATE, v6 = LATE] = await unlessLate<Looked<readonly string[]>>(looks, this.lateMs);
    return joinAddresses(v4, v6);
  }

  private async look<Value>(query: () => Promise<Found<Value>>): Promise<Looked<Value>> {
    try {
      const found = await withTimeout(query(), QUERY_DEADLINE_MS, 'the query');
      this.awaySince = undefined;
      return { kind: 'found', ...found };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      if (code === REFUSED_CONNECTION) this.awaySince ??= this.now();
      else if (!NO_ANSWER.has(code)) this.awaySince = undefined;
      if (code === ABSENT) return { kind: 'absent' };
      if (code === NO_SUCH_NAME) return { kind: 'no-such-name' };
      return { kind: 'failed', reason: REASONS[code] ?? code };
    }
  }

  private keep(name: string, found: MxResult, ttlSeconds: number | undefined): MxResult {
    const isOurs = found.kind === 'dns-failure' && this.areAway();
    const result = isOurs ? postponedFor(WHILE_AWAY_MS, found.response) : found;
    this.kept.set(name, { result, until: this.now() + lifetimeMs(result, ttlSeconds) });
    return result;
  }

  private areAway(): boolean {
    return this.awaySince !== undefined && this.now() - this.awaySince < AWAY_MS;
  }
}

const LATE: Looked<never> = { kind: 'failed', reason: 'time is up' };

/** Waits for all; once one is found, for the others only a little longer: those are `LATE`. */
async function unlessLate<Look extends HostLook>(
  looks: readonly Promise<Look>[],
  lateMs: number,
): Promise<(Look | typeof LATE)[]> {
  const ended: (Look | typeof LATE)[] = looks.map(() => LATE);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    for (const [at, look] of looks.entries()) {
      void look.then((result) => {
        ended[at] = result;
        if (result.kind === 'found') timer ??= setTimeout(resolve, lateMs);
      });
    }
  });
  await Promise.race([Promise.all(looks), late]);
  clearTimeout(timer);
  return [...ended];
}

function ttlOf(looks: readonly HostLook[]): number {
  const ttls = looks.flatMap((look) => (look.kind === 'found' ? [look.ttlSeconds ?? 0] : []));
  const isPartial = looks.some(({ kind }) => kind === 'failed');
  return Math.min(...ttls, isPartial ? KEEP_PARTIAL_MS / 1000 : Number.POSITIVE_INFINITY);
}

function lifetimeMs(result: MxResult, ttlSeconds: number | undefined): number {
  if (result.kind === 'dns-failure' || result.kind === 'postponed') return KEEP_FAILURE_MS;
  if (result.kind === 'unroutable') return KEEP_UNROUTABLE_MS;
  return Math.min(Math.max((ttlSeconds ?? 0) * 1000, MIN_KEEP_MS), MAX_KEEP_MS);
}

interface Found<Value> {
  value: Value;
  ttlSeconds?: number;
}

function withTtl(records: readonly { address: string; ttl: number }[]): Found<string[]> {
  return {
    value: records.map(({ address }) => address),
    ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server failed (SERVFAIL)',
  ETIMEOUT: 'time is up',
  ETIMEDOUT: 'time is up',
  EREFUSED: 'the name server refused',
  [REFUSED_CONNECTION]: 'no name server answers',
  ECANCELLED: 'the worker is stopping',
  EBADRESP: 'the answer makes no sense',
};

/** The one resolver of a worker: attempts and the look-up of unknown domains share its cache. */
export const MX_RESOLVER: FactoryProvider<MxResolver> = {
  provide: MxResolver,
  inject: [SETTINGS, SHAPING_PROVIDERS, MxGroups],
  useFactory: (settings: Settings, providers: Providers, groups: MxGroups) =>
    new MxResolver({
      servers: settings.dnsServers,
      local: isLocalMode(settings),
      providers,
      learned: (domain, groupKey) => groups.learned(domain, groupKey),
      ...(settings.allowPrivateMx ? {} : { addressCheck: () => checkNow(settings) }),
    }),
};

// At each look-up: an address may move to this machine while the worker runs.
function checkNow({ sendingAddresses, egressSources, serviceZone }: Settings): AddressCheck {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = [...egressSources, ...interfaces].map(({ address }) => address).concat(sendingAddresses);
  return addressCheck(
    own.filter((address) => isIP(address) !== 0),
    serviceZone.toLowerCase(),
  );
}
