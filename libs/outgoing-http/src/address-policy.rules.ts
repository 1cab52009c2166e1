import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

// RFC 4291 §2.4 and the IANA registry: nothing outside 2000::/3 is given out as global unicast.
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

// Looks public, yet answers only inside Azure: its host agent, which hands out credentials.
const CLOUD_AGENTS: readonly Network[] = [ipaddr.IPv4.parseCIDR('168.63.129.16/32')];

/**
 * Decides which addresses may be called on behalf of a customer (spec 2-messages §18.9): global unicast, and
 * what the operator allows. Everything else (private, loopback, link-local with the cloud metadata services,
 * carrier-grade NAT, multicast, documentation, tunnels that carry an IPv4 address) is refused.
 */
export class AddressPolicy {
  private readonly allowed: readonly Network[];

  /**
   * @param allow networks (CIDR) or single addresses that are let through besides public ones
   * @throws Error that names the entry which is neither
   */
  constructor(allow: readonly string[]) {
    this.allowed = allow.map(readNetwork);
  }

  /** @param text an IP address in any textual form; what is none is refused */
  permits(text: string): boolean {
    const address = readAddress(text);
    if (address === undefined) return false;
    return this.allowed.some((network) => within(address, network)) || isPublic(address);
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || CLOUD_AGENTS.some((network) => within(address, network))) return false;
  return address.kind() === 'ipv4' || within(address, GLOBAL_UNICAST_V6);
}

/** An IPv4-mapped IPv6 address is the IPv4 address: the kernel connects to that. */
function readAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function within(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function readNetwork(text: string): Network {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = readAddress(text);
  if (address === undefined) throw new Error(`'${text}' is neither a network (CIDR) nor an IP address`);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
