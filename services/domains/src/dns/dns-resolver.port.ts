/**
 * The result of a look-up. `none` is an answer (no such name, no such record); `unknown` is the lack of one:
 * nothing may be concluded from it (spec 1-platform §11.4 rule 1).
 */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly values: readonly T[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface MailExchange {
  preference: number;
  exchange: string;
}

/** Asks the DNS of the world. Names come and go without a trailing dot; names in answers are lower case. */
export interface DnsResolver {
  /** The text records at the end of the name's CNAME chain, the strings of each joined. */
  txt(name: string): Promise<Lookup<string>>;
  /** The name's own CNAME, one step; the caller walks on. */
  cname(name: string): Promise<Lookup<string>>;
  /** The mail exchangers at the end of the name's CNAME chain. */
  mx(name: string): Promise<Lookup<MailExchange>>;
}

export const DNS_RESOLVER = Symbol('DnsResolver');

/** Common resolvers follow no longer chains either; it also ends loops. */
export const MAX_CNAME_CHAIN = 8;

export const NONE = { kind: 'none' } as const;
export const unknown = (reason: string): { kind: 'unknown'; reason: string } => ({ kind: 'unknown', reason });

/** One spelling of a name in a record: lower case, no trailing dot. */
export const canonicalName = (name: string): string => name.trim().replace(/\.$/, '').toLowerCase();
