import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Lookup } from './dns-resolver.port.js';
import { fail, inconclusive, PASS, type Judgement, type Cause } from './judgement.js';
import { firstTag, parseTagList } from './tag-list.rules.js';

/**
 * Whether the text records at a name publish this key (spec 1-platform §11.4 rule 4). Keys are compared as keys;
 * `h=`, `t=`, `s=` and unknown tags are not checked. With two key records at one name the result is undefined for
 * receivers (RFC 6376 §3.6.2.2), so they fail.
 * @param publicKey base64 SubjectPublicKeyInfo
 */
export function judgeDkimKey(records: Lookup<string>, publicKey: string): Judgement {
  if (records.kind === 'unknown') return inconclusive(records);
  const texts = records.kind === 'found' ? records.values : [];
  const [only, ...more] = texts.filter((text) => /(?:^|;)\s*["'“”]?\s*p\s*=/i.test(text));
  if (only === undefined) {
    return fail(texts[0] === undefined ? { code: 'not_found' } : { code: 'dkim_no_key', texts });
  }
  if (more.length > 0) return fail({ code: 'dkim_several', count: more.length + 1 });
  const cause = faultOf(only, publicKey);
  return cause === undefined ? PASS : fail(cause);
}

/** @returns undefined when the record is right */
function faultOf(text: string, publicKey: string): Cause | undefined {
  const tags = parseTagList(text);
  if (!tags) return { code: /["'“”]/.test(text) ? 'quoted' : 'dkim_malformed', text };
  const version = tags.get('v');
  if (version !== undefined && (version !== 'DKIM1' || firstTag(tags) !== 'v')) {
    return { code: 'dkim_malformed', text };
  }
  const type = (tags.get('k') ?? 'rsa').toLowerCase();
  if (type !== 'rsa') return { code: 'dkim_wrong_type', type };
  const published = tags.get('p');
  // `P=`: names of tags are case-sensitive
  if (published === undefined) return { code: 'dkim_malformed', text };
  return differenceOf(published.replaceAll(/\s/g, ''), publicKey);
}

/** The difference of a published key from ours; undefined when it is the same key. */
function differenceOf(published: string, ours: string): Cause | undefined {
  if (published === ours) return undefined;
  if (published === '') return { code: 'dkim_revoked' };
  if (ours.startsWith(published)) {
    return { code: 'dkim_key_cut', length: published.length, of: ours.length };
  }
  const key = readKey(published, 'spki');
  const own = readKey(ours, 'spki');
  if (key && own?.equals(key)) return undefined;
  if (key) return { code: 'dkim_other_key', published };
  const bare = readKey(published, 'pkcs1');
  const isOurs = bare !== undefined && (own?.equals(bare) ?? false);
  return { code: 'dkim_key_unreadable', published, isBare: isOurs };
}

// Decoders of verifiers differ in strictness: the strictest decides.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readKey(base64: string, type: 'spki' | 'pkcs1'): KeyObject | undefined {
  if (!BASE64.test(base64)) return undefined;
  try {
    return createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type });
  } catch {
    return undefined;
  }
}
