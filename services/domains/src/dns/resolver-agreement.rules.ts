import { inconclusive, type Judgement, type Verdict } from './judgement.js';

/** The answer of one resolver alone about a record. */
export interface ResolverVerdict {
  resolver: string;
  verdict: Verdict;
}

/** Number of resolvers that must see a failure before it makes a domain invalid. */
const MIN_CONFIRMATIONS = 2;

/**
 * A failure counts when two resolvers see it, or when none sees anything else: with only one resolver, or with others
 * that do not answer, the conclusive answer counts (spec 1-platform §11.4 rule 1). A resolver with a wrong or old
 * answer is overruled by one that sees the record: nothing changes then.
 */
export function confirmFailure(failure: Judgement, views: readonly ResolverVerdict[]): Judgement {
  const failing = views.filter(({ verdict }) => verdict === 'fail').length;
  const passing = views.filter(({ verdict }) => verdict === 'pass').length;
  if (passing > 0 && failing < MIN_CONFIRMATIONS) {
    return { verdict: 'unknown', cause: { code: 'resolvers_disagree', views } };
  }
  return failing > 0 || views.length < MIN_CONFIRMATIONS ? failure : UNANSWERED;
}

/** None of several resolvers gave an answer to the repeated query: inconclusive. */
const UNANSWERED = inconclusive({ reason: 'asked one by one, no resolver gave an answer' });
