import { isIPv4, isIPv6 } from 'node:net';
import { createHash } from 'node:crypto';
import type { EgressVia, SocksLogin } from '@postmesh/settings';

/**
 * An address from which messages leave. Receivers keep limits and reputations per address, so learnt limits are kept
 * per source.
 */
export interface EgressSource {
  /** part of state, events and metrics; `''` = the only source, whose address the system chooses */
  readonly id: string;
  /** IP address of connections; left out: the system chooses */
  readonly address?: string | undefined;
  /** the name with which servers are greeted; its address and the PTR record of that address should agree */
  readonly ehloName: string;
  /** the proxy that has the address; left out: this machine has it */
  readonly via?: SourceVia | undefined;
  /** a new address: what leaves from it per provider is limited */
  readonly warmUp?: boolean;
}

/** A proxy through which connections leave. */
export interface SourceVia extends EgressVia {
  /** of a SOCKS5 proxy */
  readonly login?: { readonly user: string; readonly password: string } | undefined;
}

/** Adds the login that the proxy has. */
export function viaOf(via: EgressVia | undefined, logins: readonly SocksLogin[]): SourceVia | undefined {
  if (via?.kind !== 'socks5') return via;
  const login = logins.find(({ host, port }) => host === via.host && port === via.port);
  return { ...via, login };
}

/** A source with an address supports the protocol of that address only; any other one supports both. */
export function canReach(source: EgressSource, address: string): boolean {
  if (source.address === undefined) return true;
  return isIPv6(source.address) ? isIPv6(address) : isIPv4(address);
}

/**
 * The hosts that a source can reach: without the addresses of the other protocol, and without hosts that then have
 * none.
 */
export function reachableHosts<Host extends { readonly addresses: readonly string[] }>(
  source: EgressSource,
  hosts: readonly Host[],
): readonly Host[] {
  if (source.address === undefined) return hosts;
  return hosts
    .map((host) => ({ ...host, addresses: host.addresses.filter((address) => canReach(source, address)) }))
    .filter(({ addresses }) => addresses.length > 0);
}

/**
 * The sources in the order in which a sending domain prefers them for an MX group, by rendezvous hashing: receivers see
 * a domain from the same address each time, and adding or removing a source moves no domain between the others. IPv4
 * comes first: reputations and reverse DNS are mostly there.
 */
export function rankSources(
  sources: readonly EgressSource[],
  { senderDomain, groupKey }: { readonly senderDomain: string; readonly groupKey: string },
): EgressSource[] {
  if (sources.length < 2) return [...sources];
  const weighed = sources.map((source) => ({
    source,
    family: source.address !== undefined && isIPv6(source.address) ? 1 : 0,
    weight: createHash('sha256').update(`${source.id}\0${senderDomain}\0${groupKey}`).digest('hex'),
  }));
  return weighed
    .sort((one, other) => one.family - other.family || (one.weight < other.weight ? 1 : -1))
    .map(({ source }) => source);
}

/** How busy a source is with a group, and whether the group takes mail from it. */
export interface SourceLoad {
  isFull(source: EgressSource): boolean;
  /** the group blocks it, or its port is closed */
  isBlocked(source: EgressSource): boolean;
}

/**
 * The sources of an attempt, in the order in which they are asked for a place. A delivery keeps its earlier one, since
 * greylists count per address. A new delivery leaves from the first source that its domain prefers; from another while
 * that one has all of its connections in use. Mail of a blocked source moves to others only if its pool says so.
 * @param ranked those that this machine has, in the order of preference
 * @param kept id of the source of earlier attempts
 * @returns empty where all of them are blocked and the mail may move
 */
export function sourcesInOrder(
  ranked: readonly EgressSource[],
  { kept, whenBlocked }: { readonly kept: string | null; readonly whenBlocked: 'move' | 'wait' },
  load: SourceLoad,
): readonly EgressSource[] {
  const same = ranked.find(({ id }) => id === kept);
  const [first] = same === undefined ? ranked : [same];
  if (first === undefined) return [];
  if (whenBlocked === 'wait' && load.isBlocked(first)) return [first];
  const open = [first, ...ranked.filter((other) => other !== first)].filter((one) => !load.isBlocked(one));
  if (first === same) return open;
  // all full: the preferred one keeps its place
  const free = open.filter((one) => !load.isFull(one));
  return free.length === 0 ? open : [...free, ...open.filter((one) => load.isFull(one))];
}
