import { ApiErrors, type OperationDocument, type OperationSpec } from '@postmesh/contracts';
import { pathParameters } from './parameters.js';

export type ApiErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** When every operation that can answer it does so (spec 1-platform §1.4). */
const GENERAL: Readonly<Record<ApiErrorStatus, readonly string[]>> = {
  400: ['The request is not as this document says; `message` names the first thing that is wrong.'],
  401: [
    says(ApiErrors.missingBearer()),
    `${says(ApiErrors.invalidKey())}, also for the key of another account`,
    says(ApiErrors.accountBlocked()),
  ],
  403: [says(ApiErrors.ipNotAllowed()), 'The key lacks the scope.'],
  404: [],
  409: [],
  413: [says(ApiErrors.bodyTooLarge())],
  415: [says(ApiErrors.wrongContentType())],
  422: [says(ApiErrors.idempotencyMismatch())],
  429: [says(ApiErrors.rateLimited(1))],
  500: [says(ApiErrors.internal())],
  503: ['A part of the service is away for a moment. Nothing was done that a retry would repeat.'],
};

const IN_PROGRESS = says(ApiErrors.idempotencyInProgress(1));
const NOTHING_THERE = 'The account has nothing of that name or id.';

function says({ message }: { message: string }): string {
  return `\`${message}\``;
}

/** What an operation can answer instead of doing its work. */
export interface Refusal {
  readonly status: ApiErrorStatus;
  readonly reasons: readonly string[];
  /** the reasons are every operation's */
  readonly general: boolean;
}

export function apiErrorsOf(spec: OperationSpec, document: OperationDocument): Refusal[] {
  return statusesOf(spec, document).map((status) => {
    const own = (document.apiErrors ?? []).filter((apiError) => apiError.status === status);
    const reasons = own.map(({ when }) => when);
    if (status === 403 && spec.partnersOnly) reasons.unshift(says(ApiErrors.subAccountsOff()));
    if (status === 409 && spec.idempotent !== false) reasons.push(IN_PROGRESS);
    if (status === 404 && reasons.length === 0) reasons.push(NOTHING_THERE);
    if (status === 403 && spec.scope.kind === 'none') {
      return { status, reasons: [says(ApiErrors.ipNotAllowed()), ...reasons], general: false };
    }
    return { status, reasons: [...GENERAL[status], ...reasons], general: reasons.length === 0 };
  });
}

function statusesOf(spec: OperationSpec, document: OperationDocument): ApiErrorStatus[] {
  const parameters = pathParameters(spec);
  const sends = spec.method === 'POST' || spec.method === 'PUT';
  const keyed = spec.idempotent !== false;
  const named = new Set<ApiErrorStatus>((document.apiErrors ?? []).map(({ status }) => status));
  const applies: Readonly<Record<ApiErrorStatus, boolean>> = {
    400: parameters.length > 0 || document.query !== undefined || document.body !== undefined || keyed,
    401: true,
    403: true,
    404: parameters.some((name) => name !== 'account_id'),
    409: keyed,
    413: sends,
    415: sends,
    422: keyed,
    429: true,
    500: true,
    503: true,
  };
  return (Object.keys(applies).map(Number) as ApiErrorStatus[]).filter(
    (status) => applies[status] || named.has(status),
  );
}
