import type { Lookup } from '../dns-resolver/dns-resolver.port.js';
import { firstTag, parseTagList } from './tag-list.rules.js';
import type { Verdict } from './verdict.js';

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
