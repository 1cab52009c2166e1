/** A policy of MTA-STS (RFC 8461 §3.2) as its domain publishes it. */
export interface StsPolicyText {
  readonly mode: 'enforce' | 'testing' | 'none';
  /** lower case: names of hosts, or `*.` and the name behind the first label */
  readonly mx: readonly string[];
  readonly maxAgeSeconds: number;
}

const RECORD = /^v=STSv1[ \t]*(?:;|$)/;
const ID_FIELD = /^id=([a-zA-Z0-9]{1,32})$/;

/**
 * The id in the TXT record of `_mta-sts.<domain>` (RFC 8461 §3.1).
 * @param texts each record with its strings joined
 * @returns undefined unless exactly one record is of MTA-STS and has an id
 */
export function readStsRecord(texts: readonly string[]): string | undefined {
  const [record, ...more] = texts.filter((text) => RECORD.test(text));
  if (record === undefined || more.length > 0) return undefined;
  const ids = record.split(';').flatMap((field) => ID_FIELD.exec(field.trim())?.[1] ?? []);
  return ids.length === 1 ? ids[0] : undefined;
}

// A year (RFC 8461 §3.2).
const MAX_AGE_SECONDS = 31_557_600;
// 64 KiB hold some thousands; the largest provider has a handful.
const MAX_MX = 500;
const MX_PATTERN = /^(?=.{1,255}$)(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]{1,63}$/;
const MODES = ['enforce', 'testing', 'none'] as const;

/**
 * Parses the text of a policy. For repeated keys the first one counts, except for `mx`; unknown ones are ignored.
 * @throws Error with its fault
 */
export function parseStsPolicy(text: string): StsPolicyText {
  const fields = text.split(/\r?\n/).flatMap(fieldOf);
  const first = (key: string) => fields.find((field) => field.key === key)?.value;
  if (first('version') !== 'STSv1') throw new Error('its version is not STSv1');
  const mode = MODES.find((each) => each === first('mode')?.toLowerCase());
  if (mode === undefined) throw new Error('its mode is none of enforce, testing, none');
  const maxAge = first('max_age') ?? '';
  if (!/^\d{1,10}$/.test(maxAge)) throw new Error('its max_age is no number of seconds');
  const mx = fields
    .filter(({ key }) => key === 'mx')
    .map(({ value }) => value.toLowerCase().replace(/\.$/, ''));
  if (mx.length > MAX_MX) throw new Error(`it names more than ${MAX_MX} hosts`);
  if (!mx.every((pattern) => MX_PATTERN.test(pattern))) throw new Error('an mx is no name of a host');
  if (mode !== 'none' && mx.length === 0) throw new Error('it names no mx');
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS) };
}

function fieldOf(line: string): { key: string; value: string }[] {
  const colon = line.indexOf(':');
  return colon < 0 ? [] : [{ key: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }];
}

/** RFC 8461 §4.1: `*` stands for exactly one label, the first. */
export function namesHost(mx: readonly string[], host: string): boolean {
  const name = host.toLowerCase();
  const wildcard = `*${name.slice(name.indexOf('.'))}`;
  return mx.some((pattern) => pattern === name || (pattern.startsWith('*.') && pattern === wildcard));
}
