import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Settings } from '@postmesh/settings';

/**
 * Whether mail from an address is ours: `POSTMESH_SENDING_ADDRESSES`, with its networks, sources of the settings, and those
 * that operators made.
 */
export function ownAddresses(
  { sendingAddresses, egressSources }: Pick<Settings, 'sendingAddresses' | 'egressSources'>,
  made: readonly string[] = [],
): (address: string) => boolean {
  const list = new BlockList();
  for (const text of [...sendingAddresses, ...egressSources.map(({ address }) => address), ...made]) {
    const [address = '', length] = text.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) continue;
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
