import { plainIp, type IpNetworks } from '@postmesh/contracts';

/**
 * Who is calling (spec 1-platform §3 rule 6): the right-most address of `X-Forwarded-For` that is no
 * trusted proxy, where a trusted proxy is what spoke to us; else the socket's peer. Anybody may send the
 * header, so it counts only from hands that are trusted.
 * @param forwardedFor the header, several ones joined by commas
 * @returns an address of `plainIp`; empty when the socket is already gone
 */
export function clientIp(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: IpNetworks,
): string {
  const direct = plainIp(peer ?? '') ?? '';
  if (forwardedFor === undefined || !trusted.covers(direct)) return direct;
  const hops = forwardedFor.split(',');
  for (let at = hops.length - 1; at >= 0; at -= 1) {
    const address = plainIp(withoutPort(hops[at] ?? ''));
    // what a proxy cannot have written says nothing about what stands left of it
    if (address === undefined) return direct;
    if (!trusted.covers(address)) return address;
  }
  return direct;
}

/** Some proxies write `192.0.2.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}
