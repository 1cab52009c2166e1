import { isIP } from 'node:net';
import type { HostAndPort } from '@postmesh/settings';

const DNS_PORT = 53;

/** In place of resolvers: no resolver is trusted. */
const OFF = 'off';

/**
 * Resolvers that are trusted to have validated an answer (RFC 7672 §1.1: over a network path that no other host can
 * write to). Those that the operator names; otherwise those on loopback among the ones in use.
 * @param used `ip` or `ip:port`, as Node takes and gives them
 */
export function validatingResolvers(used: readonly string[], named: readonly string[]): HostAndPort[] {
  if (named.length === 1 && named[0] === OFF) return [];
  if (named.length > 0) return named.map(readServer);
  return used.map(readServer).filter(({ host }) => isLoopback(host));
}

/** @throws Error when it is no address, with or without a port */
export function readServer(text: string): HostAndPort {
  if (isIP(text) !== 0) return { host: text, port: DNS_PORT };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = digits === undefined ? DNS_PORT : Number(digits);
  if (isIP(host) === 0 || port < 1 || port > 65_535) throw new Error(`'${text}' is no ip or ip:port`);
  return { host, port };
}

const isLoopback = (host: string): boolean => host.startsWith('127.') || /^(?:0*:)+0*1$/.test(host);
