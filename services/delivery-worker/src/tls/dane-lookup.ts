import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import type { HostAndPort } from '@postmesh/settings';
import type { Answer } from 'dns-packet';
import { isUsable, recordsKey } from './dane.rules.js';
import { DnsQueries, DnsTrouble } from './dns-query.js';
import type { DnsReply } from './dns-query.js';
import type { DaneRecords, TlsaRecord } from './host-need.rules.js';

/** The MX hosts of a domain: `secure` = the answer was validated, and names these. */
export type SecureMx =
  | { readonly kind: 'secure'; readonly hosts: ReadonlySet<string> }
  | { readonly kind: 'insecure' }
  | { readonly kind: 'failed'; readonly reason: string };

/** TLSA records of a host. `none`: there are none that were validated; `unusable`: there are, and none can be met. */
export type DaneFinding =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable' }
  | { readonly kind: 'records'; readonly dane: Omit<DaneRecords, 'destination'> }
  | { readonly kind: 'failed'; readonly reason: string };

interface Kept<Value> {
  readonly value: Value;
  readonly ttlSeconds: number;
}

const MAX_KEPT = 20_000;
const MIN_KEEP_S = 5;
// As long as the hosts of a domain are cached (mx-resolver.ts): the two must agree.
const MAX_KEEP_S = 300;
const KEEP_FAILURE_S = 5;

/** Looks up the DANE requirements (RFC 7672) of the hosts of a domain, with validating resolvers. */
export class DaneLookup {
  private readonly dns: DnsQueries;
  private readonly kept = new LRUCache<string, { value: SecureMx | DaneFinding; until: number }>({
    max: MAX_KEPT,
  });
  private readonly lookups = new SingleFlight<string, Kept<SecureMx | DaneFinding>>();

  /** @param resolvers none = no answer is trusted, and DANE is off */
  constructor(readonly resolvers: readonly HostAndPort[]) {
    this.dns = new DnsQueries(resolvers);
  }

  get isOn(): boolean {
    return this.resolvers.length > 0;
  }

  /** RFC 7672 §2.2.1: below an answer that was not validated nothing is. */
  async mx(domain: string): Promise<SecureMx> {
    if (!this.isOn) return { kind: 'insecure' };
    return this.remembered(`MX ${domain}`, () => this.askMx(domain));
  }

  /** The records for a host that a secure answer named. */
  async tlsa(host: string, port: number): Promise<DaneFinding> {
    return this.remembered(`TLSA ${port} ${host}`, () => this.askHost(host, port));
  }

  private async askMx(domain: string): Promise<Kept<SecureMx>> {
    const { authentic, answers, ttlSeconds } = await this.dns.ask(domain, 'MX');
    if (!authentic) return { value: { kind: 'insecure' }, ttlSeconds };
    const exchanges = answers.flatMap((answer) => (answer.type === 'MX' ? [answer.data.exchange] : []));
    const hosts = new Set((exchanges.length > 0 ? exchanges : [domain]).map(plain));
    return { value: { kind: 'secure', hosts }, ttlSeconds };
  }

  /**
   * RFC 7672 §2.2.2: no query for TLSA below an address that was not validated, whose name servers may not know the
   * type. For an alias its target is queried first, then the host's own name.
   */
  private async askHost(host: string, port: number): Promise<Kept<DaneFinding>> {
    const found = await this.askAddress(host);
    if (!found.authentic) return { value: { kind: 'none' }, ttlSeconds: found.ttlSeconds };
    const expanded = plain(found.answers.find(({ type }) => type === 'A' || type === 'AAAA')?.name ?? host);
    const first = await this.askTlsa(expanded, port);
    if (first.value.kind !== 'none' || expanded === plain(host)) return first;
    return this.askTlsa(plain(host), port);
  }

  private async askAddress(host: string): Promise<DnsReply> {
    const v4 = await this.dns.ask(host, 'A');
    if (!v4.authentic || v4.answers.some(({ type }) => type === 'A')) return v4;
    return this.dns.ask(host, 'AAAA');
  }

  private async askTlsa(base: string, port: number): Promise<Kept<DaneFinding>> {
    const { authentic, answers, ttlSeconds } = await this.dns.ask(`_${port}._tcp.${base}`, 'TLSA');
    const all = authentic ? answers.flatMap(tlsaOf) : [];
    if (all.length === 0) return { value: { kind: 'none' }, ttlSeconds };
    const records = all.filter(isUsable);
    if (records.length === 0) return { value: { kind: 'unusable' }, ttlSeconds };
    return {
      value: { kind: 'records', dane: { key: recordsKey(base, records), records, base } },
      ttlSeconds,
    };
  }

  private async remembered<Value extends SecureMx | DaneFinding>(
    key: string,
    ask: () => Promise<Kept<Value>>,
  ): Promise<Value> {
    const kept = this.kept.get(key);
    if (kept !== undefined && kept.until > performance.now()) return kept.value as Value;
    const { value, ttlSeconds } = await this.lookups.run(key, () => ask().catch(failed));
    const keepS = Math.min(Math.max(ttlSeconds, MIN_KEEP_S), MAX_KEEP_S);
    this.kept.set(key, { value, until: performance.now() + keepS * 1_000 });
    return value as Value;
  }
}

function failed(error: unknown): Kept<{ kind: 'failed'; reason: string }> {
  if (!(error instanceof DnsTrouble)) throw error;
  return { value: { kind: 'failed', reason: error.message }, ttlSeconds: KEEP_FAILURE_S };
}

function tlsaOf(answer: Answer): TlsaRecord[] {
  if (answer.type !== 'TLSA') return [];
  const { usage, selector, matchingType: matching, certificate: data } = answer.data;
  return [{ usage, selector, matching, data }];
}

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '');
