/**
 * The result of a look-up. `none` is an answer (no such name, no such record); `unknown` means no answer, from which
 * nothing may be concluded (spec 1-platform §11.4 rule 1).
 */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly values: readonly T[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface MailExchange {
  preference: number;
  exchange: string;
}

/** Queries to the public DNS. Names have no trailing dot in either direction; names in answers are lower case. */
export interface DnsLookups {
  /** The text records at the end of the name's CNAME chain, the strings of each joined. */
  txt(name: string): Promise<Lookup<string>>;
  /** The name's own CNAME, one step; the caller follows the chain. */
  cname(name: string): Promise<Lookup<string>>;
  /** The mail exchangers at the end of the name's CNAME chain. */
  mx(name: string): Promise<Lookup<MailExchange>>;
  /** The IPv4 and IPv6 addresses at the end of the name's CNAME chain. */
  addresses(name: string): Promise<Lookup<string>>;
  /** The IPv4 addresses alone: the answers of block lists. */
  ipv4(name: string): Promise<Lookup<string>>;
  /** The names at a name of `in-addr.arpa` or `ip6.arpa`. */
  ptr(name: string): Promise<Lookup<string>>;
}

/** The answer of one resolver alone. */
export interface ResolverAnswer<T> {
  /** its configured address */
  readonly resolver: string;
  readonly answer: T;
}

/** Look-ups by all configured resolvers: they are queried one after another until one gives an answer. */
export interface DnsResolver extends DnsLookups {
  /**
   * Queries every configured resolver alone, in parallel, for records that all of them, or several, must see.
   * @param ask gets the look-ups of one resolver. They end in bounded time: queries still open are `unknown`.
   * @returns in the order of the configuration
   */
  eachResolver<T>(ask: (dns: DnsLookups) => Promise<T>): Promise<readonly ResolverAnswer<T>[]>;
}

export const DNS_RESOLVER = Symbol('DnsResolver');

/** Common resolvers do not follow longer chains either; the bound also ends loops. */
export const MAX_CNAME_CHAIN = 8;

export const NONE = { kind: 'none' } as const;
export const unknown = (reason: string): { kind: 'unknown'; reason: string } => ({ kind: 'unknown', reason });

/** Normal form of a name in a record: lower case, no trailing dot. */
export const canonicalName = (name: string): string => name.trim().replace(/\.$/, '').toLowerCase();
