/** Attempts in a row without an answer: from then on the endpoint is called by one attempt at a time. */
export const OPENS_AFTER = 5;

/** What one attempt tells of its endpoint. */
export interface EndpointSign {
  /** any HTTP status is an answer: whoever says no is there */
  readonly answered: boolean;
  readonly at: Date;
  /** why it is no success; null when it is */
  readonly failure: string | null;
}

/** What a batch of attempts changes of an endpoint. */
export interface EndpointChange {
  /** the last answer: what was counted before is over */
  readonly answeredAt: Date | null;
  /** without an answer, after the last one */
  readonly unanswered: number;
  readonly lastFailureAt: Date | null;
  readonly lastFailure: string | null;
}

/** @param signs in the order of their ends */
export function changeOf(signs: readonly EndpointSign[]): EndpointChange {
  const lastAnswer = signs.findLastIndex(({ answered }) => answered);
  const failure = signs.findLast((sign) => sign.failure !== null);
  return {
    answeredAt: signs[lastAnswer]?.at ?? null,
    unanswered: signs.length - 1 - lastAnswer,
    lastFailureAt: failure?.at ?? null,
    lastFailure: failure?.failure ?? null,
  };
}
