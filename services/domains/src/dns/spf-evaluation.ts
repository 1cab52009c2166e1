import type { DnsLookups, Lookup } from './dns-resolver.port.js';
import { fail, inconclusive, PASS, type Judgement, type Cause } from './judgement.js';
import { expandDomainSpec, isSpf, parseSpf, type SpfDirective, type SpfRecord } from './spf-record.rules.js';

/** RFC 7208 §4.6.4: the terms that cost a look-up, over the whole evaluation. */
const MAX_LOOKUPS = 10;
/** RFC 7208 §4.6.4: the look-ups that may find nothing. */
const MAX_VOID_LOOKUPS = 2;
/** RFC 7208 §4.6.4: more mail exchangers than this break the evaluation. */
const MAX_EXCHANGES = 10;

/**
 * Result of a record for a message of ours. `ours`: pass, because our include was reached; `anybody`: pass before our
 * include; `no-match`: fail, softfail or neutral; `broken`: permerror; `unknown`: a look-up was inconclusive.
 */
type Outcome =
  | { kind: 'ours' | 'anybody' | 'no-match' }
  | { kind: 'broken'; cause: Cause }
  | { kind: 'unknown'; reason: string };

const NO_MATCH: Outcome = { kind: 'no-match' };

type SpfLookups = Pick<DnsLookups, 'txt' | 'mx' | 'addresses'>;

/**
 * Whether a receiver that evaluates the SPF record of `domain` for a message of ours passes it because of
 * `include:<ours>` (spec 1-platform §11.4 rule 3).
 * @param lookup the text records at the domain
 */
export async function evaluateSpf(
  domain: string,
  lookup: Lookup<string>,
  { ours, dns }: { ours: string; dns: SpfLookups },
): Promise<Judgement> {
  if (lookup.kind === 'unknown') return inconclusive(lookup);
  const texts = lookup.kind === 'found' ? lookup.values : [];
  const [text, ...more] = texts.filter(isSpf);
  if (text === undefined) return fail(missing(texts));
  if (more.length > 0) return fail({ code: 'spf_several', records: [text, ...more] });
  const record = parseSpf(text);
  if ('term' in record) return fail({ code: 'spf_syntax', record: text, term: record.term });
  const outcome = await new SpfEvaluation({ domain, ours: ours.toLowerCase(), record: text }, dns).run(
    record,
  );
  if (outcome.kind === 'ours') return PASS;
  if (outcome.kind === 'unknown') return inconclusive(outcome);
  if (outcome.kind === 'broken') return fail(outcome.cause);
  return fail(notReached(record, { text, ours, isAnybody: outcome.kind === 'anybody' }));
}

function missing(texts: readonly string[]): Cause {
  const quoted = texts.find((text) => /^["'“”\s]+v=spf1/i.test(text));
  return quoted === undefined ? { code: 'not_found' } : { code: 'quoted', text: quoted };
}

/** The reason why a valid record never reaches our include. */
function notReached(
  { directives }: SpfRecord,
  { text, ours, isAnybody }: { text: string; ours: string; isAnybody: boolean },
): Cause {
  const isOurs = ({ mechanism, target = '' }: SpfDirective) =>
    mechanism === 'include' && target.replace(/\.$/, '').toLowerCase() === ours.toLowerCase();
  const at = directives.findIndex(isOurs);
  const all = directives.findIndex(({ mechanism }) => mechanism === 'all');
  if (at >= 0 && all >= 0 && all < at) return { code: 'spf_after_all', record: text };
  const qualifier = directives[at]?.qualifier ?? '+';
  if (qualifier !== '+') return { code: 'spf_wrong_qualifier', record: text, qualifier };
  return { code: isAnybody ? 'spf_anybody' : 'spf_include_missing', record: text };
}

interface EvaluationOf {
  domain: string;
  ours: string;
  /** the text, for the description of a problem */
  record: string;
}

class SpfEvaluation {
  private lookups = 0;
  private readonly voids: string[] = [];

  constructor(
    private readonly about: EvaluationOf,
    private readonly dns: SpfLookups,
  ) {}

  run(record: SpfRecord): Promise<Outcome> {
    return this.record(this.about.domain, record);
  }

  private async record(domain: string, record: SpfRecord): Promise<Outcome> {
    for (const directive of record.directives) {
      const match = await this.match(domain, directive);
      if (match.kind === 'no-match') continue;
      const isDecided = match.kind === 'broken' || match.kind === 'unknown' || directive.qualifier === '+';
      return isDecided ? match : NO_MATCH;
    }
    return record.redirect === undefined ? NO_MATCH : this.other(domain, record.redirect);
  }

  /** An include matches only a pass inside (RFC 7208 §5.2). Mechanisms with hosts are not ours and do not match. */
  private async match(domain: string, { mechanism, target }: SpfDirective): Promise<Outcome> {
    if (mechanism === 'all') return { kind: 'anybody' };
    if (mechanism === 'ip4' || mechanism === 'ip6') return NO_MATCH;
    if (mechanism === 'include') return this.other(domain, target ?? '');
    if (this.isSpent()) return this.tooMany();
    // the client's reverse name differs from message to message
    if (mechanism === 'ptr') return NO_MATCH;
    const expanded =
      target === undefined ? ({ kind: 'name', name: domain } as const) : this.expand(domain, target);
    return expanded.kind === 'name' ? this.hosts(mechanism, expanded.name) : NO_MATCH;
  }

  /** The record of another domain, by include or redirect. */
  private async other(domain: string, target: string): Promise<Outcome> {
    if (this.isSpent()) return this.tooMany();
    const expanded = this.expand(domain, target);
    // a name that differs from message to message counts as one that does not list us
    if (expanded.kind !== 'name') return NO_MATCH;
    const { name } = expanded;
    if (name === this.about.ours) return { kind: 'ours' };
    const lookup = await this.dns.txt(name);
    if (lookup.kind === 'unknown') return lookup;
    const [text, ...more] = lookup.kind === 'found' ? lookup.values.filter(isSpf) : [];
    if (text === undefined) return this.brokenAt(name, 'there is no SPF record');
    if (more.length > 0) return this.brokenAt(name, `there are ${more.length + 1} SPF records`);
    const record = parseSpf(text);
    if ('term' in record) return this.brokenAt(name, `"${record.term}" is not understood in the SPF record`);
    return this.record(name, record);
  }

  /** Checks, like a receiver, whether the look-up works and has a result. */
  private async hosts(mechanism: 'a' | 'mx' | 'exists', name: string): Promise<Outcome> {
    const found = mechanism === 'mx' ? await this.dns.mx(name) : await this.dns.addresses(name);
    if (found.kind === 'unknown') return found;
    if (found.kind === 'found') {
      const isTooLong = mechanism === 'mx' && found.values.length > MAX_EXCHANGES;
      return isTooLong ? this.brokenAt(name, `it has ${found.values.length} MX records`) : NO_MATCH;
    }
    this.voids.push(name);
    if (this.voids.length <= MAX_VOID_LOOKUPS) return NO_MATCH;
    const { record } = this.about;
    return { kind: 'broken', cause: { code: 'spf_too_many_void_lookups', record, names: this.voids } };
  }

  private expand(domain: string, spec: string) {
    return expandDomainSpec(spec, { domain, sender: this.about.domain });
  }

  private isSpent(): boolean {
    this.lookups += 1;
    return this.lookups > MAX_LOOKUPS;
  }

  private tooMany(): Outcome {
    return { kind: 'broken', cause: { code: 'spf_too_many_lookups', record: this.about.record } };
  }

  private brokenAt(name: string, why: string): Outcome {
    return { kind: 'broken', cause: { code: 'spf_broken_include', record: this.about.record, name, why } };
  }
}
