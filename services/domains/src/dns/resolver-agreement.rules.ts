import { inconclusive, type Judgement, type Verdict } from './judgement.js';

/** What one resolver, asked by itself, says about a record. */
export interface ResolverVerdict {
  resolver: string;
  verdict: Verdict;
}

/** How many resolvers have to see a failure before it costs a domain its validity. */
const MIN_CONFIRMATIONS = 2;

/**
 * A failure holds when two resolvers see it, or when nobody sees anything else: with one resolver alone, or with
 * others that do not answer, the conclusive answer counts (spec 1-platform §11.4 rule 1). One that lies, or has an old
 * answer still, is outvoted by one that sees the record: nothing changes then.
 */
export function confirmFailure(failure: Judgement, views: readonly ResolverVerdict[]): Judgement {
  const failing = views.filter(({ verdict }) => verdict === 'fail').length;
  const passing = views.filter(({ verdict }) => verdict === 'pass').length;
  if (passing > 0 && failing < MIN_CONFIRMATIONS) {
    return { verdict: 'unknown', cause: { code: 'resolvers_disagree', views } };
  }
  return failing > 0 || views.length < MIN_CONFIRMATIONS ? failure : UNANSWERED;
}

/** Asked again, none of several resolvers gave an answer: that is no finding. */
const UNANSWERED = inconclusive({ reason: 'asked by itself, no resolver gave an answer' });
