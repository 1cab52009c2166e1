import { z } from 'zod';
import { MessageResponse, type OperationDocument, type OperationSpec } from '@postmesh/contracts';
import type { Header, JsonSchema, Reference, Response } from './open-api.js';
import { apiErrorsOf, type Refusal, type ApiErrorStatus } from './api-errors.rules.js';
import type { SchemaComponents } from './schema-components.js';

const NAMES: Readonly<Record<ApiErrorStatus, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** The body of every error (spec 1-platform §1.4). */
const ErrorAnswer = z
  .object(MessageResponse.shape)
  .meta({ id: 'Error', description: 'Why the request was not done.' });

const REQUEST_ID = 'x-request-id';
const RETRY_AFTER = 'Retry-After';
const REPLAYED = 'Idempotent-Replayed';

export const HEADERS: Readonly<Record<string, Header>> = {
  [REPLAYED]: {
    description:
      '`true`: this is the answer of an earlier request with the same `Idempotency-Key`. `false`: that request is still in progress. Absent: the request ran now.',
    required: false,
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  [RETRY_AFTER]: {
    description: 'Whole seconds after which a retry makes sense.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
  [REQUEST_ID]: {
    description: 'Names this request in the logs of the service; a new one for every answer.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
};

/** A retry later can help; 409 only while a request with the same idempotency key is in progress. */
const RETRIED_LATER: ReadonlySet<ApiErrorStatus> = new Set([409, 429, 503]);
/** What was decided after the idempotency layer is answered again to a retry (spec 1-platform §4.3). */
const REPLAYED_ERRORS: ReadonlySet<ApiErrorStatus> = new Set([400, 403, 404, 409]);

const headers = (...names: string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The answers of all operations: a error without reasons of its own is a component. */
export class Responses {
  private readonly components = new Map<string, Response>();
  private readonly error: JsonSchema;

  constructor(private readonly schemas: SchemaComponents) {
    this.error = schemas.describe(ErrorAnswer);
  }

  of(spec: OperationSpec, document: OperationDocument): Record<string, Response | Reference> {
    const keyed = spec.idempotent !== false;
    const { status, description, schema, example } = document.response;
    const success: Response = {
      description,
      headers: headers(REQUEST_ID, ...(keyed ? [REPLAYED] : [])),
      content: {
        'application/json': {
          schema: this.schemas.describe(schema),
          ...(example === undefined ? {} : { example }),
        },
      },
    };
    const apiErrors = apiErrorsOf(spec, document).map((apiError) => [
      String(apiError.status),
      this.apiError(apiError, spec),
    ]);
    return { [status]: success, ...Object.fromEntries(apiErrors) };
  }

  all(): Record<string, Response> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private apiError(
    { status, reasons, general }: Refusal,
    { idempotent }: OperationSpec,
  ): Response | Reference {
    // a refused create of an API key is not kept for its idempotency key (spec 1-platform §4.4)
    const replayed =
      REPLAYED_ERRORS.has(status) && (idempotent === 'standard' || (idempotent && status === 409));
    const response: Response = {
      description: sentences(reasons),
      headers: headers(
        REQUEST_ID,
        ...(replayed ? [REPLAYED] : []),
        ...(RETRIED_LATER.has(status) && (status !== 409 || idempotent) ? [RETRY_AFTER] : []),
      ),
      content: { 'application/json': { schema: this.error } },
    };
    return general ? this.share(NAMES[status] + (replayed ? 'Replayable' : ''), response) : response;
  }

  private share(name: string, response: Response): Reference {
    this.components.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}

/** One reason stands alone, several in a list. */
function sentences(reasons: readonly string[]): string {
  return reasons.length === 1 ? String(reasons[0]) : reasons.map((reason) => `- ${reason}`).join('\n');
}
