import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { setting, type Options, type Setting } from './setting.js';

/** An egress address and the name of its EHLO. */
export interface EgressSourceSetting {
  readonly id: string;
  readonly address: string;
  readonly ehlo: string;
  /** the proxy that has the address; left out: this machine has it */
  readonly via?: EgressVia | undefined;
}

/** A proxy through which connections leave. */
export interface EgressVia {
  /** `proxy`: one that reads a PROXY protocol header of version 2, such as HAProxy */
  readonly kind: 'socks5' | 'proxy';
  /** name or IP address */
  readonly host: string;
  readonly port: number;
}

// RFC 5321 §4.1.1.1: a fully qualified name; an address literal identifies no host and costs reputation.
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;
const MAX_SOURCES = 64;

const Source = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -'),
  address: z.string().refine(isOneAddress, 'must be an IPv4 or IPv6 address of this machine'),
  ehlo: z
    .string()
    .regex(HOST_NAME, 'must be a full host name')
    .transform((name) => name.toLowerCase()),
  via: z
    .union([z.strictObject({ socks5: z.string() }), z.strictObject({ proxy: z.string() })], {
      error: 'must be {socks5: host:port} or {proxy: host:port}',
    })
    .transform((via, context): EgressVia => {
      const [kind, text] =
        'socks5' in via ? (['socks5', via.socks5] as const) : (['proxy', via.proxy] as const);
      const target = readTarget(text);
      if (target) return { kind, ...target };
      context.addIssue({ code: 'custom', path: [kind], message: 'must be host:port or [IPv6 address]:port' });
      return z.NEVER;
    })
    .optional(),
});

/** @returns undefined unless it is `host:port` or `[ipv6]:port` */
function readTarget(text: string): { host: string; port: number } | undefined {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]\s@/]+)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  const isHost = bracketed === undefined ? plain !== '' : isIPv6(bracketed);
  return isHost ? { host: bracketed ?? plain.toLowerCase(), port: Number(port) } : undefined;
}

/** JSON: `[{"id": "a", "address": "192.0.2.10", "ehlo": "mta-a.example.com"}]`. */
export const egressSources = (
  options: Options<readonly EgressSourceSetting[]>,
): Setting<readonly EgressSourceSetting[]> =>
  setting('JSON list', options, (value) => {
    const parsed = z.array(Source).max(MAX_SOURCES).safeParse(readJson(value));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new Error(
        `must be a JSON list of {id, address, ehlo, via?}: ${place(issue)}${issue?.message ?? ''}`,
      );
    }
    for (const field of ['id', 'address'] as const) refuseTwice(parsed.data, field);
    return parsed.data;
  });

/** A relay: mail goes to it instead of to the hosts of its destinations. */
export interface EgressRelay {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`), else STARTTLS */
  readonly implicitTls: boolean;
  /** left out: the relay accepts mail without a login, and STARTTLS is used where it offers it */
  readonly login?: { readonly user: string; readonly password: string };
}

const MAX_RELAYS = 16;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'smtp:': 25, 'smtps:': 465 };

/** URLs in the order in which they are tried, separated by commas; a comma in a password is written `%2C`. */
export const egressRelays = (options: Options<readonly EgressRelay[]>): Setting<readonly EgressRelay[]> =>
  setting('comma-separated URLs', options, (value) => {
    const relays = value.split(/\s*,\s*(?=smtps?:\/\/)/).map((item, index) => readRelay(item, index));
    if (relays.length > MAX_RELAYS) throw new Error(`must be ${MAX_RELAYS} relays at most`);
    return relays;
  });

function readRelay(text: string, index: number): EgressRelay {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = url && DEFAULT_PORTS[url.protocol];
  if (!url || port === undefined || url.hostname === '') {
    // the text may hold a password
    throw new Error(
      `must be URLs that begin with smtp:// or smtps://: the one at place ${index + 1} is none`,
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const relay = { host, port: Number(url.port || port), implicitTls: url.protocol === 'smtps:' };
  if (url.username === '') {
    if (relay.implicitTls || url.searchParams.get('tls') === 'optional') return relay;
    throw new Error(
      `has a relay without a password or TLS at place ${index + 1}: begin it with smtps://, or end it with ?tls=optional if mail may go to it in clear text`,
    );
  }
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return { ...relay, login: { user, password } };
}

/** The login of a SOCKS5 proxy (RFC 1929). */
export interface SocksLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

// RFC 1929 §2: the length of each is one byte
const MAX_LOGIN_BYTES = 255;

/** URLs, separated by commas: `socks5://user:password@host:port`; a comma in a password is written `%2C`. */
export const socksLogins = (options: Options<readonly SocksLogin[]>): Setting<readonly SocksLogin[]> =>
  setting('comma-separated URLs', options, (value) => value.split(/\s*,\s*/).map(readLogin));

function readLogin(text: string, index: number): SocksLogin {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const target = url?.protocol === 'socks5:' ? readTarget(url.host) : undefined;
  const [user, password] = [decodeURIComponent(url?.username ?? ''), decodeURIComponent(url?.password ?? '')];
  const fits = [user, password].every((each) => each !== '' && Buffer.byteLength(each) <= MAX_LOGIN_BYTES);
  if (target && fits) return { ...target, user, password };
  throw new Error(`must be URLs socks5://user:password@host:port: the one at place ${index + 1} is none`);
}

/** A usable source address: neither unspecified nor with a zone. */
function isOneAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%') && !/^(?:0\.0\.0\.0|[0:]+)$/.test(text);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON: [{"id": "a", "address": "192.0.2.10", "ehlo": "mta-a.example.com"}]');
  }
}

const place = (issue: z.core.$ZodIssue | undefined): string =>
  issue && issue.path.length > 0 ? `${issue.path.join('.')} ` : '';

function refuseTwice(sources: readonly EgressSourceSetting[], field: 'id' | 'address'): void {
  const values = sources.map((source) => source[field].toLowerCase());
  const twice = values.find((value, index) => values.indexOf(value) < index);
  if (twice !== undefined) throw new Error(`must have each ${field} once: ${twice} is listed twice`);
}
