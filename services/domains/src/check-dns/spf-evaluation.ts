import type { Lookup } from '../dns-resolver/dns-resolver.port.js';
import { expandSpfTarget, isSpf, parseSpf, type SpfDirective, type SpfRecord } from './spf-record.rules.js';
import type { Verdict } from './verdict.js';

/** RFC 7208 §4.6.4: the terms that cost a look-up, over the whole evaluation. */
const MOST_LOOKUPS = 10;

/**
 * What a record says about a message of ours. `ours`: pass, because our include was reached; `anybody`: pass before
 * we were reached; `not-pass`: fail, softfail or neutral; `broken`: permerror; `unknown`: a look-up taught nothing.
 */
type Outcome = 'ours' | 'anybody' | 'not-pass' | 'broken' | 'unknown';

type TxtLookup = (name: string) => Promise<Lookup<string>>;

/**
 * Whether a receiver that evaluates the SPF record of `domain` for a message of ours passes it because of
 * `include:<ours>` (spec 1-platform §11.4 rule 3).
 * @param records the text records at the domain, looked up already
 */
export async function evaluateSpf(
  domain: string,
  records: Lookup<string>,
  { ours, txt }: { ours: string; txt: TxtLookup },
): Promise<Verdict> {
  const evaluation = new SpfEvaluation(ours.toLowerCase(), txt);
  const outcome = await evaluation.records(domain, records);
  if (outcome === 'unknown') return 'unknown';
  return outcome === 'ours' ? 'pass' : 'fail';
}

/** The one SPF record among text records; undefined when there is none or more than one. */
export function onlySpf(texts: readonly string[]): string | undefined {
  const found = texts.filter(isSpf);
  return found.length === 1 ? found[0] : undefined;
}

class SpfEvaluation {
  private lookups = 0;

  constructor(
    private readonly ours: string,
    private readonly txt: TxtLookup,
  ) {}

  async records(domain: string, lookup: Lookup<string>): Promise<Outcome> {
    if (lookup.kind === 'unknown') return 'unknown';
    const text = lookup.kind === 'found' ? onlySpf(lookup.values) : undefined;
    const record = text === undefined ? undefined : parseSpf(text);
    return record ? this.record(domain, record) : 'broken';
  }

  private async record(domain: string, record: SpfRecord): Promise<Outcome> {
    for (const directive of record.directives) {
      const match = await this.match(domain, directive);
      if (match === 'not-pass') continue;
      const decided = match === 'broken' || match === 'unknown' || directive.qualifier === '+';
      return decided ? match : 'not-pass';
    }
    return record.redirect === undefined ? 'not-pass' : this.target(domain, record.redirect);
  }

  /** `not-pass` = the directive does not match. An include matches only what passes inside (RFC 7208 §5.2). */
  private async match(domain: string, { mechanism, target }: SpfDirective): Promise<Outcome> {
    if (mechanism === 'all') return 'anybody';
    if (mechanism === 'include') return this.target(domain, target ?? '');
    const free = mechanism === 'ip4' || mechanism === 'ip6';
    return free || this.spend() ? 'not-pass' : 'broken';
  }

  private async target(domain: string, target: string): Promise<Outcome> {
    if (!this.spend()) return 'broken';
    const name = expandSpfTarget(target, domain);
    // a name that differs from message to message is taken for one that does not list us
    if (name === undefined) return 'not-pass';
    if (name === this.ours) return 'ours';
    return this.records(name, await this.txt(name));
  }

  private spend(): boolean {
    this.lookups += 1;
    return this.lookups <= MOST_LOOKUPS;
  }
}
