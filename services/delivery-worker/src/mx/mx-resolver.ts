import { Resolver } from 'node:dns/promises';
import { isMailDomain, joinAddresses, noSuchDomain, orderHosts, planHosts, planRoute } from './mx.rules.js';
import type { Looked, MxAnswer, MxHost, MxRecord } from './mx.rules.js';

export interface MxResolverOptions {
  /** `ip` or `ip:port`; empty = the resolvers of the system */
  readonly servers?: readonly string[];
  /** of one query to one server */
  readonly timeoutMs?: number;
  readonly tries?: number;
  /** domains kept */
  readonly cacheSize?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Kept {
  readonly answer: MxAnswer;
  readonly until: number;
}

// However short the owner of a domain says.
const SHORTEST_MS = 5_000;
// Node does not tell the TTL of MX records, only of addresses: a change of MX is to be seen within this time.
const LONGEST_MS = 300_000;
const UNROUTABLE_MS = 30_000;
const FAILURE_MS = 5_000;

// c-ares: the name exists without such records; the name does not exist.
const ABSENT = 'ENODATA';
const NO_SUCH_NAME = 'ENOTFOUND';

/**
 * Who takes mail for a domain (spec 2-messages §14.1). Responses are kept as long as DNS says, within bounds; a
 * domain that many messages ask for at once is looked up once.
 */
export class MxResolver {
  private readonly resolver: Resolver;
  private readonly kept = new Map<string, Kept>();
  private readonly underWay = new Map<string, Promise<MxAnswer>>();
  private readonly cacheSize: number;
  private readonly now: () => number;
  private readonly random: () => number;

  constructor(options: MxResolverOptions = {}) {
    this.resolver = new Resolver({ timeout: options.timeoutMs ?? 5_000, tries: options.tries ?? 2 });
    if (options.servers !== undefined && options.servers.length > 0)
      this.resolver.setServers(options.servers);
    this.cacheSize = options.cacheSize ?? 20_000;
    this.now = options.now ?? Date.now;
    this.random = options.random ?? Math.random;
  }

  /** @param domain as it stands in an address; a route comes with its ties shuffled anew. Never rejects for what DNS does. */
  async resolve(domain: string): Promise<MxAnswer> {
    const name = domain.toLowerCase().replace(/\.$/, '');
    if (!isMailDomain(name)) return noSuchDomain('the domain of the address is no domain name');
    const answer = this.fresh(name) ?? (await this.once(name));
    return answer.kind === 'route' ? { ...answer, hosts: orderHosts(answer.hosts, this.random) } : answer;
  }

  /** Gives up queries that are under way: their messages wait. */
  close(): void {
    this.resolver.cancel();
  }

  private fresh(name: string): MxAnswer | undefined {
    const kept = this.kept.get(name);
    if (kept === undefined) return undefined;
    if (kept.until > this.now()) return kept.answer;
    this.kept.delete(name);
    return undefined;
  }

  private once(name: string): Promise<MxAnswer> {
    const known = this.underWay.get(name);
    if (known !== undefined) return known;
    const asked = this.lookUp(name).finally(() => this.underWay.delete(name));
    this.underWay.set(name, asked);
    return asked;
  }

  private async lookUp(name: string): Promise<MxAnswer> {
    const plan = planHosts(name, await this.mx(name));
    if (plan.kind !== 'hosts') return this.keep(name, plan, undefined);
    const looked = await Promise.all(
      plan.candidates.map(async (host) => ({ host, looked: await this.addresses(host) })),
    );
    const ttls = looked.flatMap((each) =>
      each.looked.kind === 'found' ? [each.looked.ttlSeconds ?? 0] : [],
    );
    return this.keep(name, planRoute(name, looked), ttls.length > 0 ? Math.min(...ttls) : undefined);
  }

  private mx(name: string): Promise<Looked<readonly MxRecord[]>> {
    return look(async () => ({ value: await this.resolver.resolveMx(name) }));
  }

  private async addresses(host: Omit<MxHost, 'addresses'>): Promise<Looked<readonly string[]>> {
    const [v4, v6] = await Promise.all([
      look(async () => withTtl(await this.resolver.resolve4(host.name, { ttl: true }))),
      look(async () => withTtl(await this.resolver.resolve6(host.name, { ttl: true }))),
    ]);
    return joinAddresses(v4, v6);
  }

  private keep(name: string, answer: MxAnswer, ttlSeconds: number | undefined): MxAnswer {
    this.kept.delete(name);
    this.kept.set(name, { answer, until: this.now() + lifetimeMs(answer, ttlSeconds) });
    if (this.kept.size > this.cacheSize) {
      for (const oldest of this.kept.keys()) {
        this.kept.delete(oldest);
        break;
      }
    }
    return answer;
  }
}

function lifetimeMs(answer: MxAnswer, ttlSeconds: number | undefined): number {
  if (answer.kind === 'dns-failure') return FAILURE_MS;
  if (answer.kind === 'unroutable') return UNROUTABLE_MS;
  return Math.min(Math.max((ttlSeconds ?? 0) * 1000, SHORTEST_MS), LONGEST_MS);
}

function withTtl(records: readonly { address: string; ttl: number }[]): {
  value: string[];
  ttlSeconds: number;
} {
  return {
    value: records.map(({ address }) => address),
    ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
  };
}

async function look<Value>(
  query: () => Promise<{ value: Value; ttlSeconds?: number }>,
): Promise<Looked<Value>> {
  try {
    return { kind: 'found', ...(await query()) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === ABSENT) return { kind: 'absent' };
    if (code === NO_SUCH_NAME) return { kind: 'no-such-name' };
    return { kind: 'failed', reason: REASONS[code] ?? code };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server failed (SERVFAIL)',
  ETIMEOUT: 'time is up',
  EREFUSED: 'the name server refused',
  ECONNREFUSED: 'no name server answers',
  ECANCELLED: 'the worker is stopping',
  EBADRESP: 'the answer makes no sense',
};
