import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

// RFC 4291 §2.4 and the IANA registry: no global unicast address is assigned outside of 2000::/3.
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

// A public address that answers only inside Azure: its host agent, which issues credentials.
const CLOUD_AGENTS: readonly Network[] = [ipaddr.IPv4.parseCIDR('168.63.129.16/32')];

/**
 * Decides which addresses may be called or delivered to on behalf of a customer (spec 2-messages §18.9): global unicast,
 * and the networks that the operator allows. Everything else (private, loopback, link-local with the cloud metadata
 * services, carrier-grade NAT, multicast, documentation, tunnels that carry an IPv4 address) is refused.
 */
export class AddressPolicy {
  private readonly allowed: readonly Network[];
  private readonly refused: readonly Network[];

  /**
   * @param allow networks (CIDR) or single addresses that are permitted in addition to public ones
   * @param refuse networks or addresses that are always refused
   * @throws Error that names the invalid entry
   */
  constructor(allow: readonly string[], refuse: readonly string[] = []) {
    this.allowed = allow.map(readNetwork);
    this.refused = refuse.map(readNetwork);
  }

  /** @param text an IP address in any textual form; any other text is refused */
  permits(text: string): boolean {
    const address = readAddress(text);
    if (address === undefined || this.refused.some((network) => within(address, network))) return false;
    return this.allowed.some((network) => within(address, network)) || isPublic(address);
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || CLOUD_AGENTS.some((network) => within(address, network))) return false;
  return address.kind() === 'ipv4' || within(address, GLOBAL_UNICAST_V6);
}

/** An IPv4-mapped IPv6 address is the IPv4 address, since the kernel connects to that. */
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

export const MAX_URL_LENGTH = 2_048;
/** The error for a URL that `readTargetUrl` does not accept. */
export const INVALID_URL = 'invalid url (an absolute http or https URL)';

// A space or control character would be dropped or encoded silently and change the URL.
const BLANK_OR_CONTROL = /[\s\u0000-\u001f\u007f]/;

/**
 * Reads the URL that a customer gives for calls.
 * @returns undefined unless it is an absolute http or https URL of at most 2,048 characters
 */
export function readTargetUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_LENGTH || BLANK_OR_CONTROL.test(text) || !/^https?:\/\//i.test(text))
    return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && url.hostname !== '' ? url : undefined;
}

/** `[::1]` is `::1`; every other host stays as it is. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Names of this machine, regardless of DNS (RFC 6761 §6.3). */
export function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

// Services that read lines of text and would read a request as commands: mail, shells, databases, chat. These are the
// bad ports of the Fetch standard, without the harmless ones such as echo and discard (1 to 19, 37), and databases that
// listen without a password.
const BAD_PORTS = new Set([
  20, 21, 22, 23, 25, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119,
  123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554,
  556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061,
  5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

/** No registered service of these ports speaks HTTP. */
export function isBadPort(url: URL): boolean {
  return BAD_PORTS.has(Number(url.port));
}

/**
 * The checks of a target that need no DNS: a bad port, a literal address that is refused, or localhost where loopback
 * is not allowed. Names are checked again at every connection, by their addresses at that time.
 */
export function isRefusedAtSight(url: URL, policy: AddressPolicy): boolean {
  if (isBadPort(url)) return true;
  const host = bareHost(url.hostname);
  if (isLocalhost(host)) return !LOOPBACK_ADDRESSES.some((address) => policy.permits(address));
  return isIP(host) !== 0 && !policy.permits(host);
}
