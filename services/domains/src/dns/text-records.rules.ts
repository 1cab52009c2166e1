import type { Lookup } from './dns-resolver.port.js';

/** What a check found out about one record; `unknown` = inconclusive, nothing may change. */
export type Verdict = 'pass' | 'fail' | 'unknown';

/**
 * Whether a TXT record publishes this key (spec 1-platform §11.4 rule 4): equal `p=`; other tags are not
 * compared. Two key records at one name leave receivers to guess (RFC 6376 §3.6.2.2), so they fail.
 */
export function judgeDkimText(records: Lookup<string>, publicKey: string): Verdict {
  if (records.kind === 'unknown') return 'unknown';
  if (records.kind === 'none') return 'fail';
  const keys = records.values.filter((text) => /(?:^|;)\s*p\s*=/i.test(text));
  const [only, second] = keys;
  if (only === undefined || second !== undefined) return 'fail';
  return holdsKey(only, publicKey) ? 'pass' : 'fail';
}

function holdsKey(text: string, publicKey: string): boolean {
  const tags = parseTagList(text);
  if (!tags) return false;
  const version = tags.get('v');
  if (version !== undefined && (version !== 'DKIM1' || firstTag(tags) !== 'v')) return false;
  if ((tags.get('k') ?? 'rsa').toLowerCase() !== 'rsa') return false;
  return (tags.get('p') ?? '').replaceAll(/\s/g, '') === publicKey;
}

const VERSION = /^v\s*=\s*DMARC1\s*(?:;|$)/;
const POLICIES = new Set(['none', 'quarantine', 'reject']);

/**
 * What the text records at `_dmarc.<name>` say. `absent` = no DMARC record at all: the organisational domain
 * is asked next (RFC 7489 §6.6.3); two records, or one without a policy, fail.
 */
export function judgeDmarc(records: Lookup<string>): Verdict | 'absent' {
  if (records.kind === 'unknown') return 'unknown';
  const policies = records.kind === 'found' ? records.values.filter((text) => VERSION.test(text.trim())) : [];
  const [only, second] = policies;
  if (only === undefined) return 'absent';
  return second === undefined && hasPolicy(only) ? 'pass' : 'fail';
}

function hasPolicy(text: string): boolean {
  const tags = parseTagList(text);
  return tags !== undefined && firstTag(tags) === 'v' && POLICIES.has((tags.get('p') ?? '').toLowerCase());
}

/**
 * A tag list as DKIM and DMARC records are written (RFC 6376 §3.2).
 * @returns undefined when it is malformed: a part without `=`, a bad name, a tag twice
 */
function parseTagList(text: string): ReadonlyMap<string, string> | undefined {
  const parts = text.split(';').map((part) => part.trim());
  // one semicolon may end the list
  if (parts.at(-1) === '') parts.pop();
  const tags = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = /^([a-z][a-z0-9_]*)\s*=\s*([\s\S]*)$/i.exec(part) ?? [];
    if (name === undefined || value === undefined || tags.has(name)) return undefined;
    tags.set(name, value.trim());
  }
  return tags;
}

const firstTag = (tags: ReadonlyMap<string, string>): string | undefined => tags.keys().next().value;
