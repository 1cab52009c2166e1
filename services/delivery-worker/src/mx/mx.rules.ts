import type { MailHosts } from '@postmesh/delivery-worker-contract';
import { LOCAL_MODE } from '@postmesh/settings';
import type { RouteHost } from '../smtp-client/route.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';

/** An MX record as a resolver gives it: `exchange` without a trailing dot, `''` or `.` for the root. */
export interface MxRecord {
  readonly exchange: string;
  readonly priority: number;
}

interface MxRoute {
  readonly kind: 'route';
  readonly hosts: readonly RouteHost[];
  /** of the domain, by all its MX hosts: `hosts` may lack some of them */
  readonly groupKey: string;
}

/** Where mail for a domain goes, or an outcome: `unroutable`, `dns-failure`, or `postponed` while our resolver is unavailable. */
export type MxResult = MxRoute | SmtpOutcome;

/** The result of one lookup. `absent`: the name exists, this kind of record does not. */
export type Looked<Value> =
  | { readonly kind: 'found'; readonly value: Value; readonly ttlSeconds?: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'no-such-name' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A host whose addresses are not known yet. */
export type MxCandidate = Omit<RouteHost, 'addresses'>;

/** The plan that follows from the MX lookup. */
type MxPlan =
  | {
      readonly kind: 'hosts';
      readonly candidates: readonly MxCandidate[];
      /** all hosts that MX records name; none when the domain takes its mail itself */
      readonly exchanges: readonly MxCandidate[];
    }
  | SmtpOutcome;

/**
 * `private`: not on the public internet (private, loopback, link-local, multicast, unspecified, documentation,
 * tunnels). `own`: this very machine, whose other servers may trust its connections.
 */
export type AddressFault = 'private' | 'own';

/** The addresses of a host as far as they may be connected to, or why none may. */
export type HostLook =
  | Looked<readonly string[]>
  | { readonly kind: 'refused'; readonly addresses: readonly string[]; readonly fault: AddressFault };

// RFC 3463, RFC 7505 §4.2
const NULL_MX = '5.1.10';
const NO_SUCH_DOMAIN = '5.1.2';

// Spec 2-messages §14.1.
const MAX_HOSTS = 5;
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/** A domain that may be looked up: a name of two or more labels, no IP address in any spelling. */
export function isMailDomain(domain: string): boolean {
  return HOST_NAME.test(domain) && !/(?:^|\.)\d+$/.test(domain);
}

/** From MX records (or none) to the hosts to look up (RFC 5321 §5.1, RFC 7505). */
export function planHosts(domain: string, looked: Looked<readonly MxRecord[]>): MxPlan {
  if (looked.kind === 'failed') return dnsFailure(`no answer about the MX of ${domain}: ${looked.reason}`);
  if (looked.kind === 'no-such-name') return noSuchDomain(`the domain ${domain} does not exist`);
  // No MX at all: the domain itself is the host.
  if (looked.kind === 'absent')
    return { kind: 'hosts', candidates: [{ name: domain, preference: 0 }], exchanges: [] };
  const named = looked.value.filter((record) => !isRoot(record.exchange));
  if (named.length === 0 && looked.value.length > 0) return nullMx(domain);
  const exchanges = cleanExchanges(named);
  if (exchanges.length === 0) return noSuchDomain(`no MX of ${domain} names a host`);
  // Twice as many as are used: hosts without an address are dropped, and ties beyond the fifth are used in turn.
  return { kind: 'hosts', candidates: exchanges.slice(0, MAX_HOSTS * 2), exchanges };
}

/**
 * From the addresses of the hosts to the route. Hosts without any permitted address are left out: they cannot be
 * reached (spec 2-messages §14.1, `no address`).
 */
export function planRoute(
  domain: string,
  hosts: readonly { readonly host: MxCandidate; readonly looked: HostLook }[],
): Omit<MxRoute, 'groupKey'> | SmtpOutcome {
  const usable = hosts.flatMap(({ host, looked }) =>
    looked.kind === 'found' && looked.value.length > 0 ? [{ ...host, addresses: looked.value }] : [],
  );
  if (usable.length > 0) return { kind: 'route', hosts: usable };
  const failed = hosts.find(({ looked }) => looked.kind === 'failed');
  if (failed?.looked.kind === 'failed') {
    return dnsFailure(`no answer about the address of ${failed.host.name}: ${failed.looked.reason}`);
  }
  const refused = hosts.find(({ looked }) => looked.kind === 'refused');
  if (refused?.looked.kind === 'refused') return refusedHost(domain, refused.host.name, refused.looked);
  return noSuchDomain(`no mail host of ${domain} has an address`);
}

/** A and AAAA together: one of them is enough, and a failure of one does not hide the other. */
export function joinAddresses(
  v4: Looked<readonly string[]>,
  v6: Looked<readonly string[]>,
): Looked<readonly string[]> {
  const found = [v4, v6].filter((looked) => looked.kind === 'found');
  if (found.length > 0) {
    const ttls = found.flatMap(({ ttlSeconds }) => (ttlSeconds === undefined ? [] : [ttlSeconds]));
    // IPv4 first: a sender's reputation and reverse DNS are mostly there.
    const value = found.flatMap((looked) => looked.value);
    return { kind: 'found', value, ...(ttls.length > 0 ? { ttlSeconds: Math.min(...ttls) } : {}) };
  }
  return [v4, v6].find(({ kind }) => kind === 'failed') ?? v4;
}

/**
 * In local mode every real domain is unroutable; the reply explains it, or it would read like a bounce of the domain.
 */
export function explainLocalMode(domain: string, outcome: SmtpOutcome): SmtpOutcome {
  if (outcome.kind !== 'unroutable' || domain.endsWith('.test')) return outcome;
  return { ...outcome, response: `${outcome.response} (${LOCAL_MODE})` };
}

/** Preference order with ties in random order (RFC 5321 §5.1), so that equals share the load. */
export function orderHosts(hosts: readonly RouteHost[], random: () => number): RouteHost[] {
  const keyed = hosts.map((host) => ({ host, key: random() }));
  return keyed
    .sort((a, b) => a.host.preference - b.host.preference || a.key - b.key)
    .map(({ host }) => host)
    .slice(0, MAX_HOSTS);
}

/** The meaning of the result for the domain itself. If our own machine is its mail host, that may be our mistake. */
export function mailHostsOf(result: MxResult): MailHosts {
  if (result.kind === 'route') return 'found';
  if (result.kind !== 'unroutable') return 'unknown';
  if (result.enhancedStatusCode === NULL_MX) return 'null_mx';
  return result.enhancedStatusCode === NO_SUCH_DOMAIN ? 'no_such_domain' : 'unknown';
}

function cleanExchanges(records: readonly MxRecord[]): MxCandidate[] {
  const best = new Map<string, number>();
  for (const { exchange, priority } of records) {
    const name = exchange.toLowerCase().replace(/\.$/, '');
    if (!isMailDomain(name)) continue;
    best.set(name, Math.min(priority, best.get(name) ?? priority));
  }
  return [...best]
    .map(([name, preference]) => ({ name, preference }))
    .sort((a, b) => a.preference - b.preference);
}

function isRoot(exchange: string): boolean {
  return exchange === '' || exchange === '.';
}

function nullMx(domain: string): SmtpOutcome {
  const response = `the domain ${domain} takes no mail (null MX)`;
  return { kind: 'unroutable', smtpCode: 556, enhancedStatusCode: NULL_MX, response };
}

const SHOWN_ADDRESSES = 3;

function refusedHost(
  domain: string,
  host: string,
  { addresses, fault }: { addresses: readonly string[]; fault: AddressFault },
): SmtpOutcome {
  const shown = addresses.slice(0, SHOWN_ADDRESSES).join(', ');
  // RFC 3463: 5.4.6 is a routing loop. The domain may be right and our own network wrong, so it is not called bad.
  if (fault === 'own') {
    const response = `the mail host ${host} of ${domain} is this mail server itself (${shown})`;
    return { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.4.6', response };
  }
  return noSuchDomain(
    `the mail host ${host} of ${domain} has no address on the public internet, only ${shown}`,
  );
}

export function noSuchDomain(response: string): SmtpOutcome {
  return { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: NO_SUCH_DOMAIN, response };
}

function dnsFailure(response: string): SmtpOutcome {
  return { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4', response };
}
