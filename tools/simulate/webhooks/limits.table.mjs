// @ts-check
/** Short enough that an endpoint fails, is disabled and recovers within a life. Waits in seconds, before the scale. */
export const LIMITS = {
  retries: [5, 10, 15, 25, 40, 50, 50, 75, 75, 75],
  scale: 0.2,
  disableSeconds: 25,
  timeoutSeconds: 6,
  /** pending deliveries of an account, in a life with few */
  pending: 4,
};
/** An endpoint that was stopped may be called for this long: targets are kept for 3 s. */
export const KEPT_MS = 4_000;
/** The least number of failures in a row before an endpoint is disabled, as in the product. */
export const MIN_FAILURES = 10;
