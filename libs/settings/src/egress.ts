import { isIP } from 'node:net';
import { z } from 'zod';
import { setting, type Options, type Setting } from './setting.js';

/** An egress address and the name of its EHLO. */
export interface EgressSourceSetting {
  readonly id: string;
  readonly address: string;
  readonly ehlo: string;
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
});

/** JSON: `[{"id": "a", "address": "192.0.2.10", "ehlo": "mta-a.example.com"}]`. */
export const egressSources = (
  options: Options<readonly EgressSourceSetting[]>,
): Setting<readonly EgressSourceSetting[]> =>
  setting('JSON list', options, (value) => {
    const parsed = z.array(Source).max(MAX_SOURCES).safeParse(readJson(value));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new Error(`must be a JSON list of {id, address, ehlo}: ${place(issue)}${issue?.message ?? ''}`);
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
  /** left out: the relay accepts mail without a login */
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
  if (url.username === '') return relay;
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return { ...relay, login: { user, password } };
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
