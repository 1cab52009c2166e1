import { ApiError, apiResponse, type ApiResponse } from '@postmesh/contracts';
import { FieldError } from '../fields.js';
import { strictObject } from '../strict-object.js';

const MAX_KEY_LENGTH = 256;

class InvalidKey extends ApiError {
  constructor() {
    super(400, `The idempotency key must have 1 to ${MAX_KEY_LENGTH} characters`);
  }
}

/** @throws ApiError 400 */
export function resendKeyOf(header: string | string[] | undefined): string | undefined {
  const key = Array.isArray(header) ? header.join(', ') : header;
  if (key !== undefined && (key === '' || key.length > MAX_KEY_LENGTH)) throw new InvalidKey();
  return key;
}

type Shown = readonly [status: number, name: string];

/** Our statuses as theirs, with their name of the error. */
const BY_STATUS: Readonly<Record<number, Shown>> = {
  400: [400, 'validation_error'],
  // an unknown key; a request without one is in BY_TEXT
  401: [403, 'invalid_api_key'],
  403: [403, 'validation_error'],
  404: [404, 'not_found'],
  405: [405, 'method_not_allowed'],
  408: [400, 'validation_error'],
  413: [413, 'validation_error'],
  415: [400, 'validation_error'],
  422: [409, 'invalid_idempotent_request'],
  429: [429, 'rate_limit_exceeded'],
  503: [503, 'application_error'],
};

const BY_KIND: Readonly<Record<FieldError['kind'], Shown>> = {
  missing: [422, 'missing_required_field'],
  unknown: [422, 'invalid_parameter'],
  invalid: [422, 'validation_error'],
};

/** Errors that share a status of ours with others. */
const SPECIAL: readonly (readonly [matches: (error: ApiError) => boolean, Shown])[] = [
  [(error) => error instanceof InvalidKey, [400, 'invalid_idempotency_key']],
  [({ status, message }) => status === 401 && message.startsWith('missing'), [401, 'missing_api_key']],
  [({ status, headers }) => status === 403 && 'www-authenticate' in headers, [401, 'restricted_api_key']],
  [
    ({ status, headers }) => status === 409 && headers['idempotent-replayed'] === 'false',
    [409, 'concurrent_idempotent_requests'],
  ],
  [({ status }) => status === 409, [409, 'validation_error']],
];

export function resendError(error: ApiError): ApiResponse {
  const [statusCode, name] =
    SPECIAL.find(([matches]) => matches(error))?.[1] ??
    (error instanceof FieldError ? BY_KIND[error.kind] : BY_STATUS[error.status]) ??
    ([500, 'internal_server_error'] as const);
  return apiResponse(statusCode, { statusCode, name, message: error.message });
}

/** The body of an error. */
export const RESEND_ERROR = strictObject({
  statusCode: { type: 'integer' },
  name: { type: 'string' },
  message: { type: 'string' },
});
