import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * The one spelling of an address: an IPv4-mapped IPv6 address is its IPv4 address
 * (spec 1-platform §3 rule 6).
 * @returns undefined when the text is no IP address
 */
export function plainIp(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const mapped = /^(?:0{0,4}:){0,5}:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  return mapped ?? text.toLowerCase();
}

/** Addresses and CIDR blocks, IPv4 and IPv6. */
export class IpNetworks {
  // Separate lists: in one BlockList an IPv6 block would cover the mapped form of an IPv4 address.
  private readonly lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** @throws Error that names the entry that is neither an address nor a CIDR block */
  constructor(readonly entries: readonly string[]) {
    for (const entry of entries) this.add(entry);
  }

  /** @param address of `plainIp` */
  covers(address: string): boolean {
    if (this.entries.length === 0) return false;
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    return this.lists[family].check(address, family);
  }

  private add(entry: string): void {
    const [address = '', bits, rest] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
    const most = family === 'ipv4' ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    const readable = bits === undefined || /^\d{1,3}$/.test(bits);
    if (family === undefined || rest !== undefined || !readable || prefix > most) {
      throw new Error(`'${entry}' is neither an IP address nor a CIDR block`);
    }
    this.lists[family].addSubnet(address, prefix, family);
  }
}
