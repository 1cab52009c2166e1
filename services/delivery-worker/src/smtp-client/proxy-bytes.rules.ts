import { isIPv4 } from 'node:net';

/** An IP address and port. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const VERSION_2_PROXY = 0x21;
const STREAM_OVER_IPV4 = 0x11;
const STREAM_OVER_IPV6 = 0x21;

/**
 * The header with which a connection through HAProxy begins
 * (https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt, section 2.2): it connects from `from` to `to`.
 * @param from an address of the same protocol as `to`
 */
export function proxyHeader(from: Endpoint, to: Endpoint): Buffer {
  const family = isIPv4(to.address) ? STREAM_OVER_IPV4 : STREAM_OVER_IPV6;
  const addresses = [
    addressBytes(from.address),
    addressBytes(to.address),
    portBytes(from.port),
    portBytes(to.port),
  ];
  const rest = Buffer.concat(addresses);
  return Buffer.concat([SIGNATURE, Buffer.from([VERSION_2_PROXY, family]), portBytes(rest.length), rest]);
}

const NO_LOGIN = 0x00;
const PASSWORD = 0x02;

/** RFC 1928 §3 */
export const socksMethods = (login: boolean): Buffer =>
  Buffer.from(login ? [5, 2, NO_LOGIN, PASSWORD] : [5, 1, NO_LOGIN]);

/** The answer to `socksMethods`: @returns undefined when the proxy takes none of them */
export function chosenMethod(reply: Buffer): 'none' | 'password' | undefined {
  if (reply[0] !== 5) return undefined;
  return reply[1] === NO_LOGIN ? 'none' : reply[1] === PASSWORD ? 'password' : undefined;
}

/** RFC 1929 §2. The parts have 255 bytes at most. */
export function socksLogin({ user, password }: { readonly user: string; readonly password: string }): Buffer {
  const [name, word] = [Buffer.from(user, 'utf8'), Buffer.from(password, 'utf8')];
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([word.length]), word]);
}

/** RFC 1928 §4: CONNECT */
export function socksConnect({ address, port }: Endpoint): Buffer {
  const type = isIPv4(address) ? IPV4 : IPV6;
  return Buffer.concat([Buffer.from([5, 1, 0, type]), addressBytes(address), portBytes(port)]);
}

const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** RFC 1928 §6: how many bytes follow the first five of a reply; undefined for an unknown type of address. */
export function restOfReply(head: Buffer): number | undefined {
  const bytes =
    head[3] === IPV4 ? 4 : head[3] === IPV6 ? 16 : head[3] === NAME ? 1 + (head[4] ?? 0) : undefined;
  // one byte of the address is among the five
  return bytes === undefined ? undefined : bytes - 1 + 2;
}

/**
 * The code of a reply: `address` where the destination is to blame, `proxy` where the proxy is.
 * @returns undefined when it has connected
 */
export function socksProblem(
  code: number | undefined,
): { by: 'address' | 'proxy'; text: string } | undefined {
  if (code === 0) return undefined;
  const known = PROBLEMS[code ?? -1];
  return known ?? { by: 'proxy', text: `reply ${code ?? 'without a code'}` };
}

const PROBLEMS: Readonly<Record<number, { by: 'address' | 'proxy'; text: string }>> = {
  1: { by: 'proxy', text: 'it reports a general failure' },
  2: { by: 'proxy', text: 'its rules do not allow the connection' },
  3: { by: 'address', text: 'the network is unreachable' },
  4: { by: 'address', text: 'the host is unreachable' },
  5: { by: 'address', text: 'connection refused' },
  6: { by: 'address', text: 'no answer from the host' },
  7: { by: 'proxy', text: 'it does not support CONNECT' },
  8: { by: 'proxy', text: 'it does not support this kind of address' },
};

const portBytes = (port: number): Buffer => Buffer.from([port >> 8, port & 0xff]);

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // the one spelling, where an IPv4 part is hexadecimal
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const all = [...left, ...zeros, ...right].map((group) => parseInt(group, 16));
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
