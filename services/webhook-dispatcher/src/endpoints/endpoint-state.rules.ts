/** The end of one attempt, as far as its endpoint is concerned. */
export interface EndpointSign {
  readonly at: Date;
  /** why it is no success; null when it is */
  readonly failure: string | null;
  /** the endpoint asked for no call before this time */
  readonly askedUntil: Date | null;
}

/** What a batch of attempts changes of an endpoint. */
export interface EndpointChange {
  /** the last success: failures before it no longer count */
  readonly succeededAt: Date | null;
  /** failures in a row at the end */
  readonly failures: number;
  /** the first of them */
  readonly failingSince: Date | null;
  /** the latest time before which one of them asked for no call */
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
