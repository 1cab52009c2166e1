import { isIPv4, isIPv6 } from 'node:net';

/** One parsed SPF record (RFC 7208 §4.6). */
export interface SpfRecord {
  directives: readonly SpfDirective[];
  /** the domain-spec of `redirect=` */
  redirect: string | undefined;
}

export interface SpfDirective {
  qualifier: '+' | '-' | '~' | '?';
  mechanism: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists';
  /** the domain-spec of mechanisms that have one */
  target: string | undefined;
}

/** A receiver ignores a record with a syntax error: permerror (RFC 7208 §4.6). */
export interface SpfSyntaxError {
  /** the invalid term */
  term: string;
}

const VERSION = /^v=spf1(?: |$)/i;
const MODIFIER = /^([a-z][a-z0-9\-_.]*)=(.*)$/i;
const DIRECTIVE = /^([+\-~?]?)([a-z0-9]+)(.*)$/i;
/**
 * A macro (RFC 7208 §7.1) is `%{d2r.-}`: macro name, number of labels, reversal, delimiters; or `%%`, `%_`, `%-`. A lone
 * percent sign is an error.
 */
const MACRO =
  /%(?:\{(?<macro>[a-z])(?<digits>\d*)(?<reversed>r?)(?<delimiters>[.\-+,/_=]*)\}|(?<plain>[%_-])|)/gi;
const NAMELESS = { '%': '%', _: ' ', '-': '%20' } as const;
const MAX_NAME = 253;

export const isSpf = (text: string): boolean => VERSION.test(text);

/** The one SPF record among text records; undefined when there is none or more than one. */
export function onlySpf(texts: readonly string[]): string | undefined {
  const found = texts.filter(isSpf);
  return found.length === 1 ? found[0] : undefined;
}

export function parseSpf(text: string): SpfRecord | SpfSyntaxError {
  const directives: SpfDirective[] = [];
  const modifiers = new Map<string, string>();
  for (const term of text.replace(/ +$/, '').split(/ +/).slice(1)) {
    const [, name, value = ''] = MODIFIER.exec(term) ?? [];
    if (name === undefined) {
      const directive = parseDirective(term);
      if (!directive) return { term };
      directives.push(directive);
    } else {
      const modifier = name.toLowerCase();
      const known = modifier === 'redirect' || modifier === 'exp';
      if (known && (modifiers.has(modifier) || !isDomainSpec(value))) return { term };
      modifiers.set(modifier, value);
    }
  }
  return { directives, redirect: modifiers.get('redirect') };
}

function parseDirective(term: string): SpfDirective | undefined {
  const [, sign = '', name = '', argument = ''] = DIRECTIVE.exec(term) ?? [];
  const mechanism = name.toLowerCase();
  if (!isMechanism(mechanism)) return undefined;
  const target = ARGUMENTS[mechanism](argument);
  if (target === undefined) return undefined;
  return {
    qualifier: isQualifier(sign) ? sign : '+',
    mechanism,
    target: target === '' ? undefined : target,
  };
}

/** Parses the domain-spec after the name of a mechanism: empty without one, undefined when it is invalid. */
const ARGUMENTS: Readonly<Record<SpfDirective['mechanism'], (argument: string) => string | undefined>> = {
  all: (argument) => (argument === '' ? '' : undefined),
  include: (argument) => domainSpec(argument),
  exists: (argument) => domainSpec(argument),
  ptr: (argument) => (argument === '' ? '' : domainSpec(argument)),
  a: (argument) => hostWithPrefix(argument),
  mx: (argument) => hostWithPrefix(argument),
  ip4: (argument) => (isNetwork(argument, isIPv4, 32) ? '' : undefined),
  ip6: (argument) => (isNetwork(argument, isIPv6, 128) ? '' : undefined),
};

function domainSpec(argument: string): string | undefined {
  const spec = argument.startsWith(':') ? argument.slice(1) : '';
  return isDomainSpec(spec) ? spec : undefined;
}

const isDomainSpec = (spec: string): boolean =>
  /^[\x21-\x7e]+$/.test(spec) && expandDomainSpec(spec, { domain: 'd', sender: 'd' }).kind !== 'malformed';

/** `:name/24//64`, each part optional. */
function hostWithPrefix(argument: string): string | undefined {
  const [all, spec, four, six] = /^(?::([^/]+))?(?:\/(\d{1,2}))?(?:\/\/(\d{1,3}))?$/.exec(argument) ?? [];
  if (all === undefined || Number(four ?? 0) > 32 || Number(six ?? 0) > 128) return undefined;
  if (spec === undefined) return '';
  return isDomainSpec(spec) ? spec : undefined;
}

function isNetwork(argument: string, isAddress: (text: string) => boolean, bits: number): boolean {
  const [, address = '', prefix] = /^:([^/]+)(?:\/(\d{1,3}))?$/.exec(argument) ?? [];
  return isAddress(address) && Number(prefix ?? 0) <= bits;
}

const isMechanism = (name: string): name is SpfDirective['mechanism'] => Object.hasOwn(ARGUMENTS, name);
const isQualifier = (sign: string): sign is SpfDirective['qualifier'] => sign !== '' && '+-~?'.includes(sign);

/** Values for macros: the domain whose record is evaluated, and the one of the first record. */
interface MacroNames {
  domain: string;
  sender: string;
}

/** `per-message`: it depends on the client or the sender's local part, and cannot be known here. */
export type ExpandedName = { kind: 'name'; name: string } | { kind: 'per-message' } | { kind: 'malformed' };

/** The expanded name of a domain-spec (RFC 7208 §7), lower case, without a trailing dot. */
export function expandDomainSpec(spec: string, { domain, sender }: MacroNames): ExpandedName {
  const kinds = new Set<ExpandedName['kind']>();
  const name = spec.replaceAll(MACRO, (...match) => {
    const parts = match.at(-1) as MacroParts;
    if (parts.plain !== undefined) return NAMELESS[parts.plain];
    const kind = kindOf(parts);
    kinds.add(kind);
    return kind === 'name' ? transformed(/d/i.test(parts.macro ?? '') ? domain : sender, parts) : '';
  });
  if (kinds.has('malformed')) return { kind: 'malformed' };
  return kinds.has('per-message') ? { kind: 'per-message' } : { kind: 'name', name: shortened(name) };
}

interface MacroParts {
  macro?: string;
  digits?: string;
  reversed?: string;
  delimiters?: string;
  plain?: keyof typeof NAMELESS;
}

function kindOf({ macro = '', digits = '' }: MacroParts): ExpandedName['kind'] {
  if (digits !== '' && Number(digits) === 0) return 'malformed';
  if (/^[do]$/i.test(macro)) return 'name';
  // c, r and t are allowed only in an explanation
  return /^[slipvh]$/i.test(macro) ? 'per-message' : 'malformed';
}

function transformed(value: string, { digits = '', reversed = '', delimiters = '' }: MacroParts): string {
  const separators = delimiters === '' ? '.' : delimiters;
  const parts = value.split(new RegExp(`[${separators.replaceAll('-', String.raw`\-`)}]`));
  if (reversed !== '') parts.reverse();
  return parts.slice(digits === '' ? 0 : -Number(digits)).join('.');
}

/** A name that is too long loses labels on its left (RFC 7208 §7.3). */
function shortened(name: string): string {
  let rest = name.replace(/\.$/, '').toLowerCase();
  while (rest.length > MAX_NAME && rest.includes('.')) rest = rest.slice(rest.indexOf('.') + 1);
  return rest;
}
