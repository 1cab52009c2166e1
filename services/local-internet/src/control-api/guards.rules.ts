import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';

/**
 * A page on the internet can point its own name at 127.0.0.1 and have a browser read us (DNS rebinding).
 * Its Host header gives it away: only names that mean this machine are served.
 * @param allowed further host names, for a container that is reached by its service name
 */
export function isOurHost(host: string | undefined, allowed: readonly string[]): boolean {
  const name = hostName(host);
  if (name === undefined) return false;
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true;
  return (isIPv4(name) && name.startsWith('127.')) || allowed.some((other) => other.toLowerCase() === name);
}

function hostName(host: string | undefined): string | undefined {
  try {
    return host === undefined ? undefined : new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}

/** A browser says where a request comes from; other programs say nothing, and they are no danger here. */
export function comesFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return (
    headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host}`.toLowerCase()
  );
}
