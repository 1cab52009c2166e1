import { z } from 'zod';
import { ApiErrors, MessageResponse, type OperationDocument, type OperationSpec } from '@postmesh/contracts';
import type { Audience } from './audience.js';
import type { Header, JsonSchema, Reference, Response } from './open-api.js';
import { pathParameters } from './parameters.js';
import { exampleOf } from './examples.js';
import type { SchemaComponents } from './schema-components.js';

type ApiErrorStatus = 400 | 401 | 403 | 404 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

const NAMES: Readonly<Record<ApiErrorStatus, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** The body of every error (spec 1-platform §1.4). */
const ErrorResponse = z
  .object(MessageResponse.shape)
  .meta({ id: 'Error', description: 'Why the request was not done.' });

const REQUEST_ID = 'x-request-id';
const RETRY_AFTER = 'Retry-After';
const REPLAYED = 'Idempotent-Replayed';
const CHALLENGE = 'WWW-Authenticate';

const HEADERS: Readonly<Record<string, Header>> = {
  [REPLAYED]: {
    description:
      '`true`: this is the response to an earlier request with the same `Idempotency-Key`. `false`: that request is still in progress. Absent: the request ran now.',
    required: false,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  [RETRY_AFTER]: {
    description: 'Whole seconds after which a retry makes sense.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
  [CHALLENGE]: {
    description:
      'Where a scope is missing: the scopes that would do, as `Bearer error="insufficient_scope", scope="…"` (RFC 6750 §3.1).',
    required: false,
    schema: { type: 'string' },
  },
  [REQUEST_ID]: {
    description: 'Names this request in the logs of the service; a new one for every response.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
};

/** The headers of the responses of these operations. */
export function headersOf(operations: readonly OperationSpec[]): Record<string, Header> {
  const isReplayed = operations.some(({ idempotent }) => idempotent !== false);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isReplayed || name !== REPLAYED));
}

/** A retry later can help; 409 only while a request with the same idempotency key is in progress. */
const RETRIED_LATER: ReadonlySet<ApiErrorStatus> = new Set([409, 429, 503]);
/** Errors decided behind the idempotency layer, which a retry gets again (spec 1-platform §4.3). */
const REPLAYED_ERRORS: ReadonlySet<ApiErrorStatus> = new Set([400, 403, 404, 409]);

const headers = (...names: string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/**
 * The responses of all operations. Each error is a component by its status. An operation adds its own reasons in the
 * description next to its reference, which replaces the component's description in OpenAPI 3.1.
 */
export class Responses {
  private readonly components = new Map<string, Response>();
  private readonly error: JsonSchema;

  constructor(
    private readonly schemas: SchemaComponents,
    private readonly audience: Audience,
  ) {
    this.error = schemas.describe(ErrorResponse);
  }

  of(spec: OperationSpec, document: OperationDocument): Record<string, Response | Reference> {
    const keyed = spec.idempotent !== false;
    const { status, description, schema: given, contentType = 'application/json' } = document.response;
    const schema = this.schemas.describe(given);
    const { example = exampleOf(schema, this.schemas.all()) } = document.response;
    const success: Response = {
      description,
      headers: headers(REQUEST_ID, ...(keyed ? [REPLAYED] : [])),
      content: { [contentType]: { schema, example } } as Response['content'],
    };
    const apiErrors = apiErrorsOf(spec, document, this.audience).map((apiError) => [
      String(apiError.status),
      this.apiError(apiError, spec),
    ]);
    return { [status]: success, ...Object.fromEntries(apiErrors) };
  }

  all(): Record<string, Response> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private apiError({ status, reasons, general }: DocumentedError, { idempotent }: OperationSpec): Reference {
    // a refused create of an API key is not kept for its idempotency key (spec 1-platform §4.4)
    const replayed =
      REPLAYED_ERRORS.has(status) && (idempotent === 'standard' || (idempotent && status === 409));
    const name = NAMES[status] + (replayed ? 'Replayable' : '');
    const message = status === 409 && replayed ? IN_PROGRESS.message : this.exampleOf(status);
    this.components.set(name, {
      description: sentences(generalReasons(status, this.audience)),
      headers: headers(
        REQUEST_ID,
        ...(replayed ? [REPLAYED] : []),
        ...(status === 403 ? [CHALLENGE] : []),
        ...(RETRIED_LATER.has(status) && (status !== 409 || idempotent) ? [RETRY_AFTER] : []),
      ),
      content: { 'application/json': { schema: this.error, example: { message } } },
    });
    const shared = { $ref: `#/components/responses/${name}` };
    return general ? shared : { ...shared, description: sentences(reasons) };
  }

  private exampleOf(status: ApiErrorStatus): string {
    return (status === 401 ? this.audience.unauthorizedExample : EXAMPLES[status]).message;
  }
}

/** A single reason as a sentence, several as a list. */
function sentences(reasons: readonly string[]): string {
  return reasons.length === 1 ? String(reasons[0]) : reasons.map((reason) => `- ${reason}`).join('\n');
}

/** The reasons that a status has in every operation that can respond with it (spec 1-platform §1.4). */
function generalReasons(status: ApiErrorStatus, { unauthorized, forbidden }: Audience): readonly string[] {
  if (status === 401) return unauthorized;
  return status === 403 ? forbidden : GENERAL[status];
}

const GENERAL: Readonly<Record<Exclude<ApiErrorStatus, 401 | 403>, readonly string[]>> = {
  400: ['The request is not as this document says; `message` names the first thing that is wrong.'],
  404: ['The account has nothing of that name or id.'],
  408: [says(ApiErrors.bodyTooSlow())],
  409: ['The request conflicts with the state of the resource.'],
  413: [says(ApiErrors.bodyTooLarge())],
  415: [says(ApiErrors.wrongContentType())],
  422: [says(ApiErrors.idempotencyMismatch())],
  429: [says(ApiErrors.rateLimited(1))],
  500: [says(ApiErrors.internal())],
  503: ['A part of the service is away for a moment. Nothing was done that a retry would repeat.'],
};

const IN_PROGRESS = ApiErrors.idempotencyInProgress(1);

/** One example of each status; an operation lists all of its own. */
const EXAMPLES: Readonly<Record<Exclude<ApiErrorStatus, 401>, { message: string }>> = {
  400: { message: 'name is required' },
  403: ApiErrors.missingScope(['domains:read']),
  404: ApiErrors.notFound('domain'),
  408: ApiErrors.bodyTooSlow(),
  409: { message: 'the draft has changed' },
  413: ApiErrors.bodyTooLarge(),
  415: ApiErrors.wrongContentType(),
  422: ApiErrors.idempotencyMismatch(),
  429: ApiErrors.rateLimited(1),
  500: ApiErrors.internal(),
  503: { message: 'service temporarily unavailable' },
};

function says({ message }: { message: string }): string {
  return `\`${message}\``;
}

/** An error response of an operation. */
interface DocumentedError {
  readonly status: ApiErrorStatus;
  readonly reasons: readonly string[];
  /** the reasons are those of every operation */
  readonly general: boolean;
}

function apiErrorsOf(
  spec: OperationSpec,
  document: OperationDocument,
  audience: Audience,
): DocumentedError[] {
  return statusesOf(spec, document).map((status) => {
    const own = (document.apiErrors ?? []).filter((apiError) => apiError.status === status);
    const reasons = own.map(({ when }) => when);
    if (status === 403 && spec.partnersOnly) reasons.unshift(says(ApiErrors.subAccountsOff()));
    if (status === 409 && spec.idempotent !== false) reasons.push(says(IN_PROGRESS));
    if (status === 403 && ['none', 'anonymous'].includes(spec.scope.kind)) {
      return { status, reasons: [...audience.forbiddenWithoutScope, ...reasons], general: false };
    }
    if (status === 401 && spec.scope.kind === 'anonymous') return { status, reasons, general: false };
    // operations give all reasons of these two statuses themselves
    const known = status === 404 || status === 409 ? [] : generalReasons(status, audience);
    return { status, reasons: [...known, ...reasons], general: reasons.length === 0 };
  });
}

function statusesOf(spec: OperationSpec, document: OperationDocument): ApiErrorStatus[] {
  const parameters = pathParameters(spec);
  const sends = spec.method === 'POST' || spec.method === 'PUT';
  const keyed = spec.idempotent !== false;
  const named = new Set<ApiErrorStatus>((document.apiErrors ?? []).map(({ status }) => status));
  const applies: Readonly<Record<ApiErrorStatus, boolean>> = {
    400: parameters.length > 0 || document.query !== undefined || document.body !== undefined || keyed,
    401: spec.scope.kind !== 'anonymous',
    403: true,
    404: parameters.some((name) => name !== 'account_id'),
    408: sends,
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
