/** The end of one attempt, as input of the endpoint's state. */
export interface EndpointSign {
  readonly at: Date;
  /** the reason of a failure; null on success */
  readonly failure: string | null;
  /** end of the pause requested by the endpoint */
  readonly askedUntil: Date | null;
}

/** The change of an endpoint's state by a batch of attempts. */
export interface EndpointChange {
  /** the last success: failures before it no longer count */
  readonly succeededAt: Date | null;
  /** consecutive failures at the end */
  readonly failures: number;
  /** the first of them */
  readonly failingSince: Date | null;
  /** the latest end of a requested pause */
  readonly askedUntil: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastFailure: string | null;
}

/** @param signs in the order of their ends */
export function changeOf(signs: readonly EndpointSign[]): EndpointChange {
  const lastSuccess = signs.findLastIndex(({ failure }) => failure === null);
  const row = signs.slice(lastSuccess + 1);
  const asked = row.flatMap(({ askedUntil }) => askedUntil?.getTime() ?? []);
  const failure = signs.findLast((sign) => sign.failure !== null);
  return {
    succeededAt: signs[lastSuccess]?.at ?? null,
    failures: row.length,
    failingSince: row[0]?.at ?? null,
    askedUntil: asked.length === 0 ? null : new Date(Math.max(...asked)),
    lastFailureAt: failure?.at ?? null,
    lastFailure: failure?.failure ?? null,
  };
}
