import type { Lookup } from '../dns-resolver/dns-resolver.port.js';
import { firstTag, parseTagList } from './tag-list.rules.js';
import type { Verdict } from './verdict.js';

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
