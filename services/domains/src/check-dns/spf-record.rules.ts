/** One SPF record, taken apart (RFC 7208 §4.6). */
export interface SpfRecord {
  directives: readonly SpfDirective[];
  /** the domain-spec of `redirect=` */
  redirect: string | undefined;
}

export interface SpfDirective {
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

export const isSpf = (text: string): boolean => VERSION.test(text);

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
