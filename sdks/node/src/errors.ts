/** Any failure of this SDK. */
export class PostmeshError extends Error {
  override name = 'PostmeshError';
}

/** No response within the bounds of the retries. The request may have been done: the same idempotency key finds out. */
export class NoResponseError extends PostmeshError {
  override name = 'NoResponseError';
}

/** A webhook call whose signature or timestamp does not fit. */
export class WebhookVerificationError extends PostmeshError {
  override name = 'WebhookVerificationError';
}

/** A response that is not 2xx. `message` is for people; programs look at the class, or at `status`. */
export class ApiError extends PostmeshError {
  override name = 'ApiError';
  readonly status: number;
  /** The response's `x-request-id`: name it when you ask for help. */
  readonly requestId: string | undefined;
  /** Seconds of `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** The scopes that would do, in a 403 for want of one. */
  readonly requiredScope: string | undefined;

  constructor(response: Response, text: string) {
    super(messageOf(text) ?? `status ${response.status}`);
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfter = retryAfterOf(response.headers);
    this.requiredScope = /scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1];
  }
}

/** 400, 413, 415: the request has to change. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}
/** 401 */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}
/** 403 */
export class PermissionDeniedError extends ApiError {
  override name = 'PermissionDeniedError';
}
/** 404 */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** 409: it exists already, its state does not allow this, or a request with the same key is in progress. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 422: the idempotency key belongs to another request. */
export class IdempotencyMismatchError extends ApiError {
  override name = 'IdempotencyMismatchError';
}
/** 429, after all retries */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}
/** 5xx, after all retries */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: IdempotencyMismatchError,
  429: RateLimitError,
};

/** @param text body of the response */
export function errorOf(response: Response, text: string): ApiError {
  const Kind = BY_STATUS[response.status] ?? (response.status >= 500 ? ServerError : ApiError);
  return new Kind(response, text);
}

/** Seconds, or a date (RFC 9110 §10.2.3). @returns seconds from now; undefined when there is none that can be read */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** Every error of the API is `{"message": "…"}`; a proxy before it has pages of its own. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text);
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
