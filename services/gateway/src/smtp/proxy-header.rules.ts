import { isIP, isIPv4, isIPv6 } from 'node:net';

/** The client that a load balancer names. */
export interface ProxiedClient {
  readonly address: string;
  readonly port: number;
}

/** The beginning of a connection, read as a PROXY protocol header of version 1 or 2. */
export type ProxyHeader =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid'; readonly problem: string }
  /** without a client (a health check of the load balancer itself, a protocol that it does not know) the peer is the client */
  | { readonly kind: 'header'; readonly length: number; readonly client: ProxiedClient | undefined };

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const LINE = Buffer.from('PROXY ', 'latin1');
// PROXY protocol, section 2.1: the longest line, with its CRLF
const MAX_LINE = 107;
const FIXED = 16;
// section 2.2 allows 65,535 bytes of addresses and TLVs; certificates in them, which nothing here reads, are the longest
const MAX_REST = 4_096;

/** Bytes that hold any header that is accepted. */
export const MAX_PROXY_HEADER = FIXED + MAX_REST;

const STREAM_OVER_IPV4 = 0x11;
const STREAM_OVER_IPV6 = 0x21;
// AF_UNSPEC and AF_UNIX: no address of the internet
const WITHOUT_CLIENT = new Set([0x00, 0x31]);

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' };
const invalid = (problem: string): ProxyHeader => ({ kind: 'invalid', problem });

/**
 * https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt. TLVs of version 2 are skipped: they cannot change the
 * client.
 * @param bytes from the first one of the connection on
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsAs(bytes, SIGNATURE)) return bytes.length < FIXED ? INCOMPLETE : readBinary(bytes);
  if (startsAs(bytes, LINE)) return readLine(bytes);
  return invalid('no PROXY protocol header');
}

/** Whether the bytes are the beginning of the pattern, or begin with it. */
const startsAs = (bytes: Buffer, pattern: Buffer): boolean => {
  const length = Math.min(bytes.length, pattern.length);
  return bytes.subarray(0, length).equals(pattern.subarray(0, length));
};

/** Section 2.1. */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n');
  if (end < 0) return bytes.length < MAX_LINE ? INCOMPLETE : invalid('the line is too long');
  const [, family, address = '', to = '', port = '', toPort = '', ...rest] = bytes
    .toString('latin1', 0, end)
    .split(' ');
  const length = end + 2;
  if (family === 'UNKNOWN') return { kind: 'header', length, client: undefined };
  const isOfFamily = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : undefined;
  if (isOfFamily === undefined) return invalid('an unknown protocol');
  if (!isOfFamily(address) || !isOfFamily(to) || address.includes('%')) return invalid('no IP address');
  if (!isPort(port) || !isPort(toPort) || rest.length > 0) return invalid('no port');
  return { kind: 'header', length, client: { address, port: Number(port) } };
}

const isPort = (text: string): boolean => /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;

/** Section 2.2. */
function readBinary(bytes: Buffer): ProxyHeader {
  const [version, command] = [bytes.readUInt8(12) >> 4, bytes.readUInt8(12) & 0x0f];
  const [protocol, rest] = [bytes.readUInt8(13), bytes.readUInt16BE(14)];
  if (version !== 2 || command > 1) return invalid('an unknown version or command');
  if (rest > MAX_REST) return invalid('the header is too long');
  const length = FIXED + rest;
  const isOwn = command === 0;
  const addressBytes = protocol === STREAM_OVER_IPV4 ? 4 : protocol === STREAM_OVER_IPV6 ? 16 : undefined;
  if (!isOwn && addressBytes === undefined && !WITHOUT_CLIENT.has(protocol)) {
    return invalid('an unknown protocol');
  }
  if (bytes.length < length) return INCOMPLETE;
  // section 2.2: the addresses of a LOCAL connection are not read
  if (isOwn || addressBytes === undefined) return { kind: 'header', length, client: undefined };
  if (rest < 2 * addressBytes + 4) return invalid('the addresses are cut off');
  const address = addressOf(bytes.subarray(FIXED, FIXED + addressBytes));
  const port = bytes.readUInt16BE(FIXED + 2 * addressBytes);
  return isIP(address) ? { kind: 'header', length, client: { address, port } } : invalid('no IP address');
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, nth) => bytes.readUInt16BE(2 * nth).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
