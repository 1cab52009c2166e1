import { createHash } from 'node:crypto';
import { matchesHost } from '@postmesh/smtp-replies';
import { PROVIDERS, type Provider, type Providers } from '../shaping/providers.table.js';
import { isMailDomain } from './mx.rules.js';

/** A domain that was not looked up yet. Never claimed: its group must be known before any server is contacted. */
export const UNKNOWN_PREFIX = 'd:';
/** DNS gave no route or no answer: the attempt reports it at once. */
export const NO_ROUTE_GROUP = 'none';
/** All mail leaves through the relay, wherever it goes. */
export const RELAY_GROUP = 'relay';
/** A simulated send contacts no host. */
export const SANDBOX_GROUP = 'sandbox';

const PROVIDER_PREFIX = 'p:';
const HOSTS_PREFIX = 'm:';
const MAX_DOMAIN_IN_KEY = 90;

/**
 * The key that a domain shares with every other domain with the same mail hosts, for connections, limits and
 * suspensions. `p:<id>` when all hosts are one provider's (`p:<id>:<hash>` where it counts per site), `m:<hash of the
 * hosts>` otherwise. A domain that adds a backup of its own to its provider's hosts is no provider's.
 * @param hosts all MX hosts of all preferences, reachable or not; none when the domain has no MX and takes its mail
 * itself
 */
export function groupKeyOf(
  hosts: readonly { readonly name: string }[],
  domain: string,
  providers: Providers = PROVIDERS,
): string {
  const given = hosts.length > 0 ? hosts : [{ name: domain }];
  const names = [...new Set(given.map(({ name }) => plainName(name)))].sort();
  const provider = hosts.length > 0 ? providerOfHosts(names, providers) : undefined;
  if (provider === undefined) return `${HOSTS_PREFIX}${digestOf(names)}`;
  const key = `${PROVIDER_PREFIX}${provider.id}`;
  return provider.connections.per === 'site' ? `${key}:${digestOf(names)}` : key;
}

/** @returns the id of the provider of the group, undefined for every other group */
export function providerOfGroup(groupKey: string): string | undefined {
  return groupKey.startsWith(PROVIDER_PREFIX) ? groupKey.split(':')[1] : undefined;
}

/**
 * A label of metrics: groups without a provider in the table share one, since the number of host names is unbounded.
 */
export const providerLabel = (groupKey: string): string =>
  providerOfGroup(groupKey) ?? (groupKey === RELAY_GROUP || groupKey === SANDBOX_GROUP ? groupKey : 'other');

/** The key of a domain that was not looked up yet; `none` for a name that cannot be looked up. */
export function unknownKeyOf(domain: string): string {
  const name = plainName(domain);
  if (!isMailDomain(name)) return NO_ROUTE_GROUP;
  return `${UNKNOWN_PREFIX}${name.length <= MAX_DOMAIN_IN_KEY ? name : `#${digestOf([name])}`}`;
}

export const isUnknown = (groupKey: string): boolean => groupKey.startsWith(UNKNOWN_PREFIX);

/** The form in which names are looked up and compared: lower case, without the dot of the root. */
export const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

function providerOfHosts(names: readonly string[], providers: Providers): Provider | undefined {
  return [...providers.values()].find(
    ({ match }) => match.length > 0 && names.every((name) => match.some((each) => matchesHost(each, name))),
  );
}

const digestOf = (names: readonly string[]): string =>
  createHash('sha256').update(names.join(',')).digest('hex').slice(0, 16);
