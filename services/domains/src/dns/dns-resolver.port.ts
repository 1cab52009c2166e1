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

/** Questions to the DNS of the world. Names come and go without a trailing dot; names in answers are lower case. */
export interface DnsLookups {
  /** The text records at the end of the name's CNAME chain, the strings of each joined. */
  txt(name: string): Promise<Lookup<string>>;
  /** The name's own CNAME, one step; the caller walks on. */
  cname(name: string): Promise<Lookup<string>>;
  /** The mail exchangers at the end of the name's CNAME chain. */
  mx(name: string): Promise<Lookup<MailExchange>>;
  /** The IPv4 and IPv6 addresses at the end of the name's CNAME chain. */
  addresses(name: string): Promise<Lookup<string>>;
}

/** What one resolver, asked by itself, made of a question. */
export interface ResolverAnswer<T> {
  /** its address, as it is configured */
  readonly resolver: string;
  readonly answer: T;
}

/** Look-ups by all configured resolvers together: they are asked in turn until one gives an answer. */
export interface DnsResolver extends DnsLookups {
  /**
   * Asks every configured resolver by itself, side by side, for what all of them, or more than one, must see.
   * @param ask gets the look-ups of one resolver. They end in bounded time: what is open by then is `unknown`.
   * @returns in the order of the configuration
   */
  eachResolver<T>(ask: (dns: DnsLookups) => Promise<T>): Promise<readonly ResolverAnswer<T>[]>;
}

export const DNS_RESOLVER = Symbol('DnsResolver');

/** Common resolvers follow no longer chains either; it also ends loops. */
export const MAX_CNAME_CHAIN = 8;

export const NONE = { kind: 'none' } as const;
export const unknown = (reason: string): { kind: 'unknown'; reason: string } => ({ kind: 'unknown', reason });

/** One spelling of a name in a record: lower case, no trailing dot. */
export const canonicalName = (name: string): string => name.trim().replace(/\.$/, '').toLowerCase();
