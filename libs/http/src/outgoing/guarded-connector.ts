import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { SingleFlight } from '@postmesh/concurrency';

import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { isLocalhost, LOOPBACK_ADDRESSES, type AddressPolicy } from './target.rules.js';

/** None of the target's addresses is permitted. */
export class TargetRefused extends Error {
  constructor(hostname: string) {
    super(`${hostname} has no address that may be called`);
  }
}

/**
 * Opens connections to permitted addresses only. The connection uses the very addresses that were resolved and checked
 * here, so a second DNS answer between check and use has no effect.
 */
export function guardedConnector(options: {
  policy: AddressPolicy;
  resolve: ResolveHost;
  timeoutMs: number;
  /** certificates trusted instead of Node's own, PEM */
  ca?: string[] | undefined;
}): buildConnector.connector {
  const { policy, resolve, timeoutMs, ca } = options;
  const lookup: LookupFunction = (hostname, wish, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const permitted = addresses
          .filter((address) => policy.permits(address))
          .map((address) => ({ address, family: isIP(address) }));
        const [first] = permitted;
        if (first === undefined) callback(new TargetRefused(hostname), '');
        else if (wish.all) callback(null, permitted);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
  const connect = buildConnector({ lookup, timeout: timeoutMs, ca });
  return (target, callback) => {
    // a literal address needs no look-up
    if (isIP(target.hostname) !== 0 && !policy.permits(target.hostname)) {
      callback(new TargetRefused(target.hostname), null);
      return;
    }
    connect(target, callback);
  };
}

/** Addresses of a host name, IPv4 first. */
type ResolveHost = (hostname: string) => Promise<readonly string[]>;

// Two tries of two seconds leave more than half of a call's ten seconds to the call.
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** The name has no address; `code` is the resolver's error code. */
export class NameNotResolved extends Error {
  constructor(
    hostname: string,
    readonly code: string,
  ) {
    super(`${hostname} has no address (${code})`);
  }
}

/**
 * @param servers resolvers as `ip:port`; none = those of the system
 * @returns a look-up that ends within seconds, resolves localhost locally, and throws NameNotResolved
 */
export function createHostResolver(servers: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers([...servers]);
  // concurrent connections to one host share one query, so that names with silent servers cannot exhaust the queries
  const requests = new SingleFlight<string, readonly string[]>();
  const ask = async (hostname: string) => {
    const asked = await askServers(resolver, hostname);
    if (asked.addresses.length > 0) return asked.addresses;
    if (servers.length > 0 || asked.code === 'ETIMEOUT') throw new NameNotResolved(hostname, asked.code);
    return askSystem(hostname);
  };
  return async (hostname) => {
    if (isIP(hostname) !== 0) return [hostname];
    if (isLocalhost(hostname)) return LOOPBACK_ADDRESSES;
    return requests.run(hostname, () => ask(hostname));
  };
}

async function askServers(
  resolver: Resolver,
  hostname: string,
): Promise<{ addresses: string[]; code: string }> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((response) => (response.status === 'fulfilled' ? response.value : []));
  const codes = answers.map((response) => (response.status === 'rejected' ? codeOf(response.reason) : ''));
  // a timeout takes precedence over «no such name», since a retry may succeed
  return { addresses, code: codes.find((code) => code === 'ETIMEOUT') ?? codes.find(Boolean) ?? 'ENODATA' };
}

/**
 * Looks the name up in the hosts file and search domains of the machine. Used second, and never for a name whose
 * servers are silent: getaddrinfo occupies one of the few threads of libuv during the whole wait.
 */
async function askSystem(hostname: string): Promise<readonly string[]> {
  try {
    const found = await systemLookup(hostname, { all: true, order: 'ipv4first' });
    return found.map(({ address }) => address);
  } catch (error) {
    throw new NameNotResolved(hostname, codeOf(error));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN';
}
