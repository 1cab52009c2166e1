import { IpNetworks, plainIp } from '@postmesh/contracts';
import type { Settings } from '@postmesh/settings';

/**
 * Whether mail from an address is ours: `POSTMESH_SENDING_ADDRESSES`, with its networks, sources of the settings, and those
 * that operators made.
 */
export function ownAddresses(
  { sendingAddresses, egressSources }: Pick<Settings, 'sendingAddresses' | 'egressSources'>,
  made: readonly string[] = [],
): (address: string) => boolean {
  const given = [...sendingAddresses, ...egressSources.map(({ address }) => address), ...made];
  const own = new IpNetworks(given.filter((text) => plainIp(text.split('/')[0] ?? '') !== undefined));
  return (text) => {
    const address = plainIp(text);
    return address !== undefined && own.covers(address);
  };
}
