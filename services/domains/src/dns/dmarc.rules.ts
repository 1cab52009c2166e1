import type { Lookup } from './dns-resolver.port.js';
import { fail, inconclusive, passWith, type Judgement, type Cause } from './judgement.js';
import { firstTag, parseTagList } from './tag-list.rules.js';

type Policy = 'none' | 'quarantine' | 'reject';

/** The content of the text records at `_dmarc.<name>`. `absent` = no DMARC record at all. */
export type DmarcReading =
  | { kind: 'policy'; text: string; policy: Policy; subdomains: Policy; isSpfStrict: boolean }
  | { kind: 'absent'; texts: readonly string[] }
  | { kind: 'several'; texts: readonly string[] }
  | { kind: 'malformed'; text: string; why: string }
  | { kind: 'unknown'; reason: string };

const VERSION = /^v\s*=\s*DMARC1\s*(?:;|$)/;
const POLICIES: readonly string[] = ['none', 'quarantine', 'reject'];

/** Reads the records at one name (RFC 7489 §6.3, §6.6.3). */
export function readDmarc(records: Lookup<string>): DmarcReading {
  if (records.kind === 'unknown') return records;
  const texts = records.kind === 'found' ? records.values : [];
  const [only, ...more] = texts.filter((text) => VERSION.test(text.trim()));
  if (only === undefined) return { kind: 'absent', texts };
  if (more.length > 0) return { kind: 'several', texts: [only, ...more] };
  return readPolicy(only);
}

function readPolicy(text: string): DmarcReading {
  const tags = parseTagList(text);
  const malformed = (why: string): DmarcReading => ({ kind: 'malformed', text, why });
  if (!tags || firstTag(tags) !== 'v')
    return malformed('it is no list of name=value parts between semicolons');
  const policy = tags.get('p')?.toLowerCase();
  if (policy === undefined) return malformed('it has no p= (policy)');
  if (!isPolicy(policy)) return malformed(`p=${policy} is no policy`);
  const subdomains = tags.get('sp')?.toLowerCase() ?? policy;
  if (!isPolicy(subdomains)) return malformed(`sp=${subdomains} is no policy`);
  return { kind: 'policy', text, policy, subdomains, isSpfStrict: tags.get('aspf')?.toLowerCase() === 's' };
}

const isPolicy = (text: string): text is Policy => POLICIES.includes(text);

/** The host of a domain's policy, and the results that let its messages pass. */
export interface DmarcContext {
  /** `_dmarc.<domain>`, or that of the organisational domain */
  host: string;
  isInherited: boolean;
  /** the envelope sender is below the domain: else SPF passes for a name of ours, which is not aligned */
  isReturnPathSeen: boolean;
  isSigned: boolean;
}

/**
 * Judges the policy in force for a domain: its own record, or the one of its organisational domain
 * (spec 1-platform §11.4 rule 5).
 */
export function judgeDmarc(reading: DmarcReading, context: DmarcContext): Judgement {
  const { host } = context;
  switch (reading.kind) {
    case 'unknown':
      return inconclusive(reading);
    case 'absent': {
      const similar = reading.texts.find((text) => /dmarc|^\s*p\s*=/i.test(text));
      if (similar === undefined) return fail({ code: 'not_found' });
      const why = 'it does not begin with v=DMARC1';
      return fail({ code: 'dmarc_malformed', host, text: similar, why });
    }
    case 'several':
      return fail({ code: 'dmarc_several', host, records: reading.texts });
    case 'malformed':
      return fail({ code: 'dmarc_malformed', host, text: reading.text, why: reading.why });
    case 'policy':
      return passWith(adviceOn(reading, context));
  }
}

/**
 * A policy that quarantines or rejects messages that SPF alone would pass. The envelope sender is at the return-path
 * subdomain, which is aligned in relaxed mode and never in strict mode (RFC 7489 §3.1.2).
 */
function adviceOn(
  { text, policy: own, subdomains, isSpfStrict }: Extract<DmarcReading, { kind: 'policy' }>,
  { host, isInherited, isReturnPathSeen, isSigned }: DmarcContext,
): Cause | null {
  const policy = isInherited ? subdomains : own;
  if (policy === 'none') return null;
  if (isSpfStrict) return { code: 'dmarc_strict_spf', host, policy, text };
  return isReturnPathSeen || isSigned ? null : { code: 'dmarc_unaligned', host, policy, text };
}
