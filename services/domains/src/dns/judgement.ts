/** Result of a check of one record; `unknown` = inconclusive, nothing may change. */
export type Verdict = 'pass' | 'fail' | 'unknown';

/** All problems of a record that a check can find, and the advice on one that is right. */
export type Cause =
  | { code: 'not_found' }
  | { code: 'host_doubled' | 'wrong_host'; at: string }
  | { code: 'quoted'; text: string }
  | { code: 'name_is_alias'; target: string }
  | { code: 'alias_beside_data'; target: string; texts: readonly string[] }
  | { code: 'inconclusive'; reason: string }
  | { code: 'resolvers_disagree'; views: readonly { resolver: string; verdict: Verdict }[] }
  | { code: 'alias_wrong_target' | 'alias_too_long'; chain: readonly string[] }
  | { code: 'alias_flattened' | 'alias_proxied'; addresses: readonly string[] }
  | { code: 'alias_other_data'; texts: readonly string[] }
  | { code: 'mx_elsewhere'; exchanges: readonly string[] }
  | { code: 'spf_several'; records: readonly string[] }
  | { code: 'spf_syntax'; record: string; term: string }
  | { code: 'spf_include_missing' | 'spf_after_all' | 'spf_anybody' | 'spf_too_many_lookups'; record: string }
  | { code: 'spf_wrong_qualifier'; record: string; qualifier: string }
  | { code: 'spf_too_many_void_lookups'; record: string; names: readonly string[] }
  | { code: 'spf_broken_include'; record: string; name: string; why: string }
  | { code: 'dkim_several'; count: number }
  | { code: 'dkim_no_key'; texts: readonly string[] }
  | { code: 'dkim_malformed'; text: string }
  | { code: 'dkim_wrong_type'; type: string }
  | { code: 'dkim_revoked' }
  | { code: 'dkim_key_cut'; length: number; of: number }
  | { code: 'dkim_other_key'; published: string }
  | { code: 'dkim_key_unreadable'; published: string; isBare: boolean }
  | { code: 'dmarc_several'; host: string; records: readonly string[] }
  | { code: 'dmarc_malformed'; host: string; text: string; why: string }
  | { code: 'dmarc_strict_spf' | 'dmarc_unaligned'; host: string; policy: string; text: string };

/** A verdict with its text: the reason why it is not `pass`, or advice on a record that passes. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly cause: Cause | null;
}

export const PASS: Judgement = { verdict: 'pass', cause: null };
export const passWith = (cause: Cause | null): Judgement => ({ verdict: 'pass', cause });
export const fail = (cause: Cause): Judgement => ({ verdict: 'fail', cause });
export const inconclusive = ({ reason }: { reason: string }): Judgement => ({
  verdict: 'unknown',
  cause: { code: 'inconclusive', reason },
});
