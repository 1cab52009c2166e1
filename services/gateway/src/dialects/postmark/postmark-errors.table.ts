import { apiResponse, type ApiError, type ApiResponse } from '@postmesh/contracts';
import { strictObject } from '../strict-object.js';

type Shown = readonly [status: number, code: number];

const INVALID: Shown = [422, 300];

// Postmark API, "Overview", error codes: 10 bad token, 100 maintenance, 300 invalid email request, 400 sender not found,
// 402 invalid JSON, 409 JSON required, 410 too many in a batch, 412 account is pending, 429 rate limit, 1101 template.
// The code 0 means success, so no error has it.

/** Our statuses as theirs, with their error codes. */
const BY_STATUS: Readonly<Record<number, Shown>> = {
  400: INVALID,
  401: [401, 10],
  403: [422, 412],
  404: [404, 1101],
  405: [405, 300],
  409: INVALID,
  413: [413, 300],
  415: [422, 409],
  422: INVALID,
  429: [429, 429],
  503: [503, 100],
};

/** Errors that share a status of ours with others, by their texts. */
const BY_TEXT: readonly (readonly [RegExp, Shown])[] = [
  [/^invalid request body/, [422, 402]],
  [/^a batch may have/, [422, 410]],
  [/not a domain of this account|domain .*not (?:found|verified)|sender domain/i, [422, 400]],
  [/not authorized to send/, [422, 400]],
  [/template not found/, [422, 1101]],
];

export function codeOf({ status, message }: ApiError): Shown {
  return BY_TEXT.find(([pattern]) => pattern.test(message))?.[1] ?? BY_STATUS[status] ?? [500, 100];
}

export function postmarkError(error: ApiError): ApiResponse {
  const [status, ErrorCode] = codeOf(error);
  return apiResponse(status, { ErrorCode, Message: error.message });
}

/** The body of an error. */
export const POSTMARK_ERROR = strictObject({ ErrorCode: { type: 'integer' }, Message: { type: 'string' } });
