import type { IncomingHttpHeaders } from 'node:http';
import { ApiErrors, plainIp, type IpNetworks } from '@postmesh/contracts';

/**
 * The secret of `Authorization: Bearer <secret>` (spec 1-platform §2.1): the scheme in any letter case,
 * one header only.
 * @param rawHeaders names and values in turn, as received
 */
export function bearerToken(rawHeaders: readonly string[]): string | undefined {
  let given: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (given !== undefined) return undefined;
    given = rawHeaders[at + 1];
  }
  return /^bearer +([^\s]+)$/i.exec(given?.trim() ?? '')?.[1];
}

/**
 * The client's address (spec 1-platform §3 rule 6): the right-most address of `X-Forwarded-For` that is no
 * trusted proxy, if the socket's peer is a trusted proxy; else the peer. Any client may send the header, so it
 * is used only when it comes from a trusted proxy.
 * @param forwardedFor the header, several ones joined by commas
 * @returns an address of `plainIp`; empty when the socket is already closed
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
    // no proxy writes an invalid address, so the entries to its left are not trusted
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

/** Facts about the body of a request, from its head. */
export interface BodyFrame {
  readonly present: boolean;
  /** bytes; undefined when not known (chunked) */
  readonly length: number | undefined;
}

export function bodyFrame(headers: IncomingHttpHeaders): BodyFrame {
  if (headers['transfer-encoding'] !== undefined) return { present: true, length: undefined };
  const length = Number(headers['content-length'] ?? 0);
  return { present: length > 0, length };
}

/**
 * @param isAccepted for a body that is not JSON
 * @throws ApiError 415, 413 (spec 1-platform §1.4) by the head alone
 */
export function checkBody(
  headers: IncomingHttpHeaders,
  frame: BodyFrame,
  limit: number,
  isAccepted: (contentType: string | undefined) => boolean = isJson,
): void {
  if (!frame.present) return;
  if (!isAccepted(headers['content-type'])) throw ApiErrors.wrongContentType();
  if (frame.length !== undefined && frame.length > limit) throw ApiErrors.bodyTooLarge();
}

/** Parameters are allowed; a missing type is read as JSON. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const end = contentType.indexOf(';');
  const type = end < 0 ? contentType : contentType.slice(0, end);
  return type === 'application/json' || type.trim().toLowerCase() === 'application/json';
}
