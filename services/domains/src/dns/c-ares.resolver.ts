import { getServers, promises } from 'node:dns';
import {
  canonicalName,
  MAX_CNAME_CHAIN,
  NONE,
  unknown,
  type DnsResolver,
  type Lookup,
  type MailExchange,
} from './dns-resolver.port.js';

type Server = promises.Resolver;
type Query<T> = (server: Server, name: string) => Promise<T[]>;
type Asked<T> = Exclude<Lookup<T>, { kind: 'none' }> | { kind: 'none'; why: FailedQuery };

interface ResolverOptions {
  /** `ip` or `ip:port`; the system's when empty */
  servers: readonly string[];
  /** wait for one server's answer, ms */
  timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;

/**
 * DNS through c-ares, which Node brings along: it retries truncated answers over TCP. Each server has a
 * resolver of its own, so that "asked in turn" is our order and not one that c-ares changes.
 */
export class CAresResolver implements DnsResolver {
  private readonly servers: readonly Server[];
  private preferred = 0;

  /** @throws Error when a server is no address */
  constructor(options: ResolverOptions) {
    const addresses = options.servers.length > 0 ? options.servers : getServers();
    this.servers = addresses.map((address) => {
      const server = new promises.Resolver({ timeout: options.timeoutMs ?? TIMEOUT_MS, tries: 1 });
      server.setServers([address]);
      return server;
    });
  }

  txt(name: string): Promise<Lookup<string>> {
    return this.followed(name, async (server, at) =>
      (await server.resolveTxt(at)).map((strings) => strings.join('')),
    );
  }

  async cname(name: string): Promise<Lookup<string>> {
    const found = await this.ask(name, async (server, at) =>
      (await server.resolveCname(at)).map(canonicalName),
    );
    return found.kind === 'none' ? NONE : found;
  }

  mx(name: string): Promise<Lookup<MailExchange>> {
    return this.followed(name, async (server, at) =>
      (await server.resolveMx(at)).map(({ priority, exchange }) => ({
        preference: priority,
        exchange: canonicalName(exchange),
      })),
    );
  }

  /** Recursive resolvers walk CNAME chains themselves; one that only hands out the alias is followed. */
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
    let reason = 'no DNS server';
    for (const index of askingOrder(this.servers.length, this.preferred)) {
      const given = await askServer(this.servers[index] as Server, name, query);
      if (given.kind !== 'unknown') {
        this.preferred = index;
        return given;
      }
      reason = given.reason;
    }
    return unknown(reason);
  }
}

async function askServer<T>(server: Server, name: string, query: Query<T>): Promise<Asked<T>> {
  try {
    const values = await query(server, name);
    return values.length > 0 ? { kind: 'found', values } : { kind: 'none', why: 'no-record' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    const why = failedQuery(code);
    return why === 'inconclusive' ? unknown(code) : { kind: 'none', why };
  }
}

/**
 * What a failed query of c-ares means. `no-record`: the name has none of this type. `no-name`: the name does not
 * exist, or could not exist. Everything else (timeout, SERVFAIL, REFUSED, garbage) is no finding.
 */
type FailedQuery = 'no-record' | 'no-name' | 'inconclusive';

const MEANING: Readonly<Record<string, FailedQuery>> = {
  ENODATA: 'no-record',
  ENOTFOUND: 'no-name',
  EBADNAME: 'no-name',
};

export const failedQuery = (code: string): FailedQuery => MEANING[code] ?? 'inconclusive';

/** An inconclusive answer is asked for at least this often before it is believed. */
const MIN_TRIES = 2;

/**
 * The order in which servers are asked: each in turn, the one that answered last first; a lone server is asked
 * twice, since a single lost packet is no finding.
 * @param servers how many there are
 * @param preferred index of the server that answered last
 */
export function askingOrder(servers: number, preferred: number): number[] {
  if (servers === 0) return [];
  const tries = Math.max(servers, MIN_TRIES);
  return Array.from({ length: tries }, (_, at) => (preferred + at) % servers);
}
