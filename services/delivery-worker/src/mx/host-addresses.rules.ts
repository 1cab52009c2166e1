import { isIPv6 } from 'node:net';
import { AddressPolicy } from '@postmesh/http';
import type { AddressFault, HostLook, Looked } from './mx.rules.js';

/** @returns why an address of a host may not be connected to, undefined when it may */
export type AddressCheck = (address: string, host: string) => AddressFault | undefined;

const PUBLIC = new AddressPolicy([]);

/**
 * The publisher of an MX record chooses where we connect: no message may reach our network or our machine that way.
 * @param own addresses of this machine, or from which its mail leaves
 * @param serviceZone hosts in it are our own inbound mail, which takes mail for its domains from any sender
 * @throws Error that names an invalid own address
 */
export function addressCheck(own: readonly string[], serviceZone: string): AddressCheck {
  const elsewhere = new AddressPolicy([], own);
  return (address, host) => {
    if (!PUBLIC.permits(address)) return 'private';
    const isOurInbound = host === serviceZone || host.endsWith(`.${serviceZone}`);
    return isOurInbound || elsewhere.permits(address) ? undefined : 'own';
  };
}

// Limit for each family. A reply over TCP may hold thousands; an attempt tries a few of them.
const MAX_ADDRESSES = 8;

/** Leaves out forbidden and excess addresses; a host without any left is refused. */
export function permittedAddresses(
  looked: Looked<readonly string[]>,
  faultOf: (address: string) => AddressFault | undefined,
): HostLook {
  if (looked.kind !== 'found') return looked;
  const permitted = looked.value.filter((address) => faultOf(address) === undefined);
  const [first] = looked.value;
  if (permitted.length > 0 || first === undefined) return { ...looked, value: firstOfEach(permitted) };
  return { kind: 'refused', addresses: firstOfEach(looked.value), fault: faultOf(first) ?? 'private' };
}

const firstOfEach = (addresses: readonly string[]): string[] =>
  [false, true].flatMap((v6) =>
    addresses.filter((address) => isIPv6(address) === v6).slice(0, MAX_ADDRESSES),
  );
