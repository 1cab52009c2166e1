import type { Lookup } from './dns-resolver.port.js';
import type { Verdict } from './text-records.rules.js';

/** RFC 7208 §4.6.4: the terms that cost a look-up, over the whole evaluation. */
const MAX_LOOKUPS = 10;

/**
 * What a record says about a message of ours. `ours`: pass, because our include was reached; `anybody`: pass before
 * we were reached; `not-pass`: fail, softfail or neutral; `broken`: permerror; `unknown`: a look-up was inconclusive.
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
    return this.lookups <= MAX_LOOKUPS;
  }
}

/** One SPF record, taken apart (RFC 7208 §4.6). */
interface SpfRecord {
  directives: readonly SpfDirective[];
  /** the domain-spec of `redirect=` */
  redirect: string | undefined;
}

interface SpfDirective {
  qualifier: '+' | '-' | '~' | '?';
  mechanism: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists';
  /** the domain-spec of an include */
  target: string | undefined;
}

const VERSION = /^v=spf1(?:\s|$)/i;
const MODIFIER = /^([a-z][a-z0-9\-_.]*)=(.*)$/i;
const DIRECTIVE = /^([+\-~?]?)([a-z0-9]+)(?:([:/])(.*))?$/i;
/** What a mechanism may and must be followed by: `none` nothing, `optional` a domain or a length, `must` a value. */
const ARGUMENT = {
  all: 'none',
  include: 'must',
  a: 'optional',
  mx: 'optional',
  ptr: 'optional',
  ip4: 'must',
  ip6: 'must',
  exists: 'must',
} as const;

const isSpf = (text: string): boolean => VERSION.test(text);

/** @returns undefined when anything in it breaks the syntax: a receiver then reads none of it (RFC 7208 §4.6) */
export function parseSpf(text: string): SpfRecord | undefined {
  const directives: SpfDirective[] = [];
  const modifiers = new Map<string, string>();
  for (const term of text.trim().split(/ +/).slice(1)) {
    const modifier = MODIFIER.exec(term);
    if (modifier) {
      const name = (modifier[1] ?? '').toLowerCase();
      if ((name === 'redirect' || name === 'exp') && (modifiers.has(name) || !modifier[2])) return undefined;
      modifiers.set(name, modifier[2] ?? '');
      continue;
    }
    const directive = parseDirective(term);
    if (!directive) return undefined;
    directives.push(directive);
  }
  return { directives, redirect: modifiers.get('redirect') };
}

function parseDirective(term: string): SpfDirective | undefined {
  const [, qualifier, name = '', separator, value = ''] = DIRECTIVE.exec(term) ?? [];
  const mechanism = name.toLowerCase();
  if (!isMechanism(mechanism)) return undefined;
  const argument = ARGUMENT[mechanism];
  if (argument === 'none' && separator !== undefined) return undefined;
  if (argument === 'must' && (separator !== ':' || value === '')) return undefined;
  if (separator === ':' && value === '') return undefined;
  return {
    qualifier: isQualifier(qualifier) ? qualifier : '+',
    mechanism,
    target: mechanism === 'include' ? value : undefined,
  };
}

const isMechanism = (name: string): name is SpfDirective['mechanism'] => Object.hasOwn(ARGUMENT, name);
const isQualifier = (text: string | undefined): text is SpfDirective['qualifier'] =>
  text !== undefined && text !== '' && '+-~?'.includes(text);

/**
 * The domain that a domain-spec names for messages of `domain`. Macros about the client or the sender's local part
 * (RFC 7208 §7) differ from message to message.
 * @returns undefined when it cannot be known
 */
export function expandSpfTarget(target: string, domain: string): string | undefined {
  const expanded = target.replaceAll(/%\{[do]\}/gi, domain);
  if (expanded.includes('%')) return undefined;
  return expanded.replace(/\.$/, '').toLowerCase();
}
