// the default export: its functions can be replaced by a mocked clock
import timers from 'node:timers/promises';
import { NoResponseError, errorOf, retryAfterOf } from './errors.ts';

export interface RetryOptions {
  /** Tries of one request, the first one included. 6 unless given. */
  readonly maxTries?: number;
  /** Seconds from the first try to the last response. 120 unless given. */
  readonly maxSeconds?: number;
  /** Seconds for one try. 30 unless given. */
  readonly trySeconds?: number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
const TRANSIENT = new Set([408, 500, 502, 503, 504]);

/**
 * Sends a request until there is a response that another try would not better. A request that may be repeated (it is no
 * POST, or has an idempotency key) is sent again after a lost connection, 408 and 5xx; any request after 429, which comes
 * before anything is done. Waits are random below a bound that doubles, and as long as `Retry-After` at least.
 * @returns a 2xx response whose body has arrived
 * @throws ApiError, NoResponseError, or the reason of the request's signal
 */
export async function sendWithRetries(
  request: Request,
  { maxTries = 6, maxSeconds = 120, trySeconds = 30 }: RetryOptions,
  send: typeof fetch = fetch,
): Promise<Response> {
  const body = request.body === null ? null : await request.arrayBuffer();
  const mayRepeat = request.method !== 'POST' || request.headers.has('idempotency-key');
  const end = Date.now() + maxSeconds * 1000;
  for (let tries = 1; ; tries += 1) {
    const result = await tryOnce(request, body, Math.min(trySeconds * 1000, end - Date.now()), send);
    if (result instanceof Response && result.ok) return result;
    const pause = tries < maxTries ? pauseBefore(result, tries, mayRepeat) : undefined;
    if (pause === undefined || Date.now() + pause >= end) throw await failure(result, tries);
    await timers.setTimeout(pause, undefined, { signal: request.signal });
  }
}

/** @returns the response with its whole body, or why there is none */
async function tryOnce(
  request: Request,
  body: ArrayBuffer | null,
  limitMs: number,
  send: typeof fetch,
): Promise<Response | Error> {
  const { method, headers, url } = request;
  const limit = AbortSignal.timeout(Math.max(1, limitMs));
  try {
    const signal = AbortSignal.any([request.signal, limit]);
    const response = await send(url, { method, headers, body, signal, redirect: 'error' });
    const bytes = await response.arrayBuffer();
    return new Response(bytes.byteLength === 0 ? null : bytes, response);
  } catch (error) {
    request.signal.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** @returns milliseconds; undefined when another try would be of no use, or could do it twice */
function pauseBefore(result: Response | Error, tries: number, mayRepeat: boolean): number | undefined {
  const pause = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  if (result instanceof Error) return mayRepeat ? pause : undefined;
  const asked = (retryAfterOf(result.headers) ?? 0) * 1000;
  if (result.status === 429 || (TRANSIENT.has(result.status) && mayRepeat)) {
    return asked > 0 ? asked + Math.random() * FIRST_WAIT_MS : pause;
  }
  // the first request with this key still runs. `Retry-After` is the end of its lease: it will be done long before
  return isInProgress(result) ? pause : undefined;
}

const isInProgress = (response: Response): boolean =>
  response.status === 409 && response.headers.get('idempotent-replayed') === 'false';

async function failure(result: Response | Error, tries: number): Promise<Error> {
  if (result instanceof Response) return errorOf(result, await result.text());
  const { cause } = result;
  const why = cause instanceof Error ? cause.message : result.message;
  return new NoResponseError(`no response after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${why}`, {
    cause: result,
  });
}
