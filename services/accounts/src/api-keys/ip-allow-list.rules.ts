import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ApiError, IpNetworks, plainIp, trimText } from '@postmesh/contracts';

const MAX_ENTRIES = 100;
// An IPv4-mapped address carries its IPv4 address in the last 32 of 128 bits.
const MAPPED_BITS = 96;

/**
 * The canonical form of an allow list (spec 1-platform §3): blocks with masked host bits, in the
 * given order.
 * @throws ApiError 400 for the first bad entry, or for too many
 */
export function canonicalAllowList(given: readonly string[]): string[] {
  const entries = [...new Set(given.map(canonicalEntry))];
  if (entries.length > MAX_ENTRIES) {
    throw new ApiError(400, `ip_allow_list must have at most ${MAX_ENTRIES} entries`);
  }
  return entries;
}

function canonicalEntry(entry: string): string {
  const { address, prefix } = readEntry(entry) ?? refuseEntry(entry);
  if (prefix === 0) throw new ApiError(400, 'ip_allow_list must not allow all addresses');
  const block = `${address.toString()}/${prefix}`;
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(block)
      : ipaddr.IPv6.networkAddressFromCIDR(block);
  return `${network.toString()}/${prefix}`;
}

function refuseEntry(entry: string): never {
  throw new ApiError(
    400,
    `invalid ip_allow_list entry: ${entry} (an address or a network such as 192.0.2.0/24)`,
  );
}

interface Block {
  address: ipaddr.IPv4 | ipaddr.IPv6;
  prefix: number;
}

/** @returns undefined for a text that is neither an address nor a block, or has a zone id */
function readEntry(entry: string): Block | undefined {
  const [text = '', bits, rest] = trimText(entry).split('/');
  if (rest !== undefined || text.includes('%') || isIP(text) === 0) return undefined;
  const address = ipaddr.parse(text);
  const most = address.kind() === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const prefix = bits === undefined ? most : Number(bits);
  if (prefix > most) return undefined;
  return withoutMapping({ address, prefix });
}

function withoutMapping({ address, prefix }: Block): Block {
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress() || prefix < MAPPED_BITS) {
    return { address, prefix };
  }
  return { address: address.toIPv4Address(), prefix: prefix - MAPPED_BITS };
}

/** Whether a client at this address may use a key with this (canonical) list. */
export function allows(list: readonly string[], clientIp: string): boolean {
  const address = plainIp(clientIp);
  return list.length === 0 || (address !== undefined && new IpNetworks(list).covers(address));
}
