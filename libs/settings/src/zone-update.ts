import { setting, type Options, type Setting } from './setting.js';

/** A shared key of a name server and its clients (RFC 8945 §2). */
export interface TsigKey {
  /** lower case, without a trailing dot */
  readonly name: string;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Buffer;
}

/** The SHA-2 algorithms of RFC 8945 §6 that are long enough to be recommended. */
const ALGORITHMS = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;
export type TsigAlgorithm = (typeof ALGORITHMS)[number];

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/i;
const BASE64 = /^[a-z0-9+/]+={0,2}$/i;
const MIN_SECRET_BYTES = 16;

/** `name:algorithm:secret`, as `tsig-keygen` and `keymgr` print its parts; the errors never show the secret. */
export const tsigKey = (options: Options<TsigKey | undefined>): Setting<TsigKey | undefined> =>
  setting('`name:algorithm:secret`', options, (value) => {
    const [name = '', algorithm = '', encoded = '', ...rest] = value.split(':').map((part) => part.trim());
    const known = ALGORITHMS.find((candidate) => candidate === algorithm.toLowerCase());
    if (rest.length > 0 || !NAME.test(name)) {
      throw new Error('must be name:algorithm:secret, where the name is a DNS name');
    }
    if (known === undefined) throw new Error(`needs an algorithm of ${ALGORITHMS.join(', ')}`);
    const secret = Buffer.from(BASE64.test(encoded) ? encoded : '', 'base64');
    if (secret.length < MIN_SECRET_BYTES) {
      throw new Error(`needs a secret of at least ${MIN_SECRET_BYTES} bytes in base64`);
    }
    return { name: name.replace(/\.$/, '').toLowerCase(), algorithm: known, secret };
  });

const DNS_PORT = 53;

/** `host`, `host:port` or `[ipv6]:port`; the port is 53 when left out. */
export const dnsServer = (options: Options<HostAndPort | undefined>): Setting<HostAndPort | undefined> =>
  setting('`host:port`', options, (value) => {
    const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
    const host = bracketed ?? plain;
    const port = digits === undefined ? DNS_PORT : Number(digits);
    if (host === undefined || port < 1 || port > 65_535) throw new Error('must be host:port');
    return { host, port };
  });
