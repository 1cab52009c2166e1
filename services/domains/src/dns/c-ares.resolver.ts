import { getServers, promises } from 'node:dns';
import { DnsBudget } from './dns-budget.js';
import {
  canonicalName,
  MAX_CNAME_CHAIN,
  NONE,
  unknown,
  type DnsLookups,
  type DnsResolver,
  type Lookup,
  type MailExchange,
  type ResolverAnswer,
} from './dns-resolver.port.js';

interface Server {
  address: string;
  channel: promises.Resolver;
}
type Query<T> = (channel: promises.Resolver, name: string) => Promise<T[]>;
type Asked<T> = Exclude<Lookup<T>, { kind: 'none' }> | { kind: 'none'; why: FailedQuery };

interface ResolverOptions {
  /** `ip` or `ip:port`; the system's when empty */
  servers: readonly string[];
  /** timeout of one server, ms */
  timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
/** After a failure the others are queried first for this time; then the configured order applies again. */
const PREFERRED_MS = 60_000;
/** Budget of all queries to one server alone. */
const EACH_BUDGET_MS = 6_000;

/** Servers that are queried one after another, until one gives an answer. */
class ServersInTurn implements DnsLookups {
  private preferred = 0;
  private preferredUntil = 0;

  constructor(protected readonly servers: readonly Server[]) {}

  txt(name: string): Promise<Lookup<string>> {
    return this.followed(name, async (channel, at) =>
      (await channel.resolveTxt(at)).map((strings) => strings.join('')),
    );
  }

  async cname(name: string): Promise<Lookup<string>> {
    const found = await this.ask(name, async (channel, at) =>
      (await channel.resolveCname(at)).map(canonicalName),
    );
    return found.kind === 'none' ? NONE : found;
  }

  mx(name: string): Promise<Lookup<MailExchange>> {
    return this.followed(name, async (channel, at) =>
      (await channel.resolveMx(at)).map(({ priority, exchange }) => ({
        preference: priority,
        exchange: canonicalName(exchange),
      })),
    );
  }

  async addresses(name: string): Promise<Lookup<string>> {
    const found = await Promise.all([
      this.ipv4(name),
      this.followed(name, (channel, at) => channel.resolve6(at)),
    ]);
    const values = found.flatMap((lookup) => (lookup.kind === 'found' ? lookup.values : []));
    if (values.length > 0) return { kind: 'found', values };
    return found.find(({ kind }) => kind === 'unknown') ?? NONE;
  }

  ipv4(name: string): Promise<Lookup<string>> {
    return this.followed(name, (channel, at) => channel.resolve4(at));
  }

  ptr(name: string): Promise<Lookup<string>> {
    return this.followed(name, async (channel, at) => (await channel.resolvePtr(at)).map(canonicalName));
  }

  /** Recursive resolvers follow CNAME chains; for one that returns only the alias, the chain is followed here. */
  private async followed<T>(name: string, query: Query<T>): Promise<Lookup<T>> {
    let at = name;
    for (let step = 0; step <= MAX_CNAME_CHAIN; step += 1) {
      const found = await this.ask(at, query);
      if (found.kind !== 'none') return found;
      if (found.why === 'no-name') return NONE;
      const alias = await this.cname(at);
      const target = alias.kind === 'found' ? alias.values[0] : undefined;
      if (target === undefined) return alias.kind === 'unknown' ? alias : NONE;
      at = target;
    }
    return NONE;
  }

  private async ask<T>(name: string, query: Query<T>): Promise<Asked<T>> {
    const reasons = new Map<string, string>();
    const first = performance.now() < this.preferredUntil ? this.preferred : 0;
    for (const index of askingOrder(this.servers.length, first)) {
      const server = this.servers[index] as Server;
      const given = await askServer(server, name, query);
      if (given.kind !== 'unknown') {
        if (index !== first) this.prefer(index);
        return given;
      }
      reasons.set(server.address, given.reason);
    }
    return unknown([...reasons].map(([address, reason]) => `${address}: ${reason}`).join('; '));
  }

  private prefer(index: number): void {
    this.preferred = index;
    this.preferredUntil = performance.now() + PREFERRED_MS;
  }
}

/**
 * DNS through c-ares, which is part of Node: it retries truncated answers over TCP. Each server has a channel of its
 * own, so that the order of the servers is ours and not one that c-ares changes.
 */
export class CAresResolver extends ServersInTurn implements DnsResolver {
  private readonly alone = this.servers.map((server) => new ServersInTurn([server]));

  /** @throws Error when a server is not an address */
  constructor({ servers, timeoutMs = TIMEOUT_MS }: ResolverOptions) {
    const addresses = new Set(servers.length > 0 ? servers : getServers());
    super([...addresses].map((address) => ({ address, channel: channelTo(address, timeoutMs) })));
  }

  /** For tests, whose servers are silent on purpose. */
  use(timeoutMs: number): void {
    for (const server of this.servers) server.channel = channelTo(server.address, timeoutMs);
  }

  eachResolver<T>(ask: (dns: DnsLookups) => Promise<T>): Promise<readonly ResolverAnswer<T>[]> {
    return Promise.all(
      this.alone.map(async (lookups, at) => ({
        resolver: (this.servers[at] as Server).address,
        answer: await DnsBudget.within(EACH_BUDGET_MS, lookups, ask),
      })),
    );
  }
}

function channelTo(address: string, timeoutMs: number): promises.Resolver {
  const channel = new promises.Resolver({ timeout: timeoutMs, tries: 1 });
  channel.setServers([address]);
  return channel;
}

async function askServer<T>({ channel }: Server, name: string, query: Query<T>): Promise<Asked<T>> {
  try {
    const values = await query(channel, name);
    return values.length > 0 ? { kind: 'found', values } : { kind: 'none', why: 'no-record' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    const why = failedQuery(code);
    return why === 'inconclusive' ? unknown(IN_WORDS[code] ?? code) : { kind: 'none', why };
  }
}

/**
 * Meaning of a failed query of c-ares. `no-record`: the name has none of this type. `no-name`: the name does not
 * exist, or could not exist. All other errors (timeout, SERVFAIL, REFUSED, garbage) are inconclusive.
 */
type FailedQuery = 'no-record' | 'no-name' | 'inconclusive';

const MEANING: Readonly<Record<string, FailedQuery>> = {
  ENODATA: 'no-record',
  ENOTFOUND: 'no-name',
  EBADNAME: 'no-name',
};

const IN_WORDS: Readonly<Record<string, string>> = {
  ETIMEOUT: 'no answer in time',
  ESERVFAIL: 'server failure (SERVFAIL)',
  EREFUSED: 'refused (REFUSED)',
  ECONNREFUSED: 'no server listens there',
};

export const failedQuery = (code: string): FailedQuery => MEANING[code] ?? 'inconclusive';

/** Least number of queries before a look-up is inconclusive. */
const MIN_TRIES = 2;

/**
 * The order of the queries: one server after another, first the one that answered for another; a lone server is
 * queried twice, since a single lost packet proves nothing.
 * @param servers their number
 * @param preferred index of the server to begin with
 */
export function askingOrder(servers: number, preferred: number): number[] {
  if (servers === 0) return [];
  const tries = Math.max(servers, MIN_TRIES);
  return Array.from({ length: tries }, (_, at) => (preferred + at) % servers);
}
