/**
 * Limits of failing webhooks and routes that are no settings (spec 2-messages §18 rules 6 and 8). Settings are the waits
 * between tries, `POSTMESH_WEBHOOK_PROBE_S`, `…_FAILING_MINUTES`, `…_DISABLE_HOURS` and `…_REPLAY_DAYS`.
 */

/** Failures in a row after which an endpoint is failing. The dispatcher then probes it, and the API shows it. */
export const FAILING_AFTER = 5;

/**
 * The pause between two probes of a failing endpoint as a share of the time that it has been failing, so that a short
 * outage causes a short pause; `MIN_PROBE_S` at least, `POSTMESH_WEBHOOK_PROBE_S` at most.
 */
export const PROBE_SHARE = 0.1;
export const MIN_PROBE_S = 5;

/** Fewer failures in a row than this never disable an endpoint, however long it takes. */
export const MIN_FAILURES = 10;

/** A `Retry-After` of a 429 or 503 is obeyed up to this long. */
export const MAX_RETRY_AFTER_S = 3_600;
