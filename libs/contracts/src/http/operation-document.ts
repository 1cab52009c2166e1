import type { z } from 'zod';
import type { ScopeFamily } from '../principal/scopes.js';
import type { OperationId } from './console-operations.js';

/**
 * The part of an operation's documentation that `OPERATIONS` does not hold, with the same zod schemas that read requests
 * and describe responses. services/gateway/src/openapi adds the common parts of all operations (the errors of spec 1-platform §1.4,
 * path parameters, pagination, idempotency, scopes).
 */
export interface OperationDocument {
  /** a few words, no full stop */
  readonly summary: string;
  /** Markdown: effect, limits, result of a repeated call */
  readonly description?: string;
  /** query parameters; a paginated list sets `paginated` instead of naming limit, after and before */
  readonly query?: z.ZodObject;
  readonly paginated?: boolean;
  /** the schema that reads the body; undefined where there is none */
  readonly body?: z.ZodObject;
  /** true: the body may be left out */
  readonly bodyOptional?: boolean;
  /** a valid request, for readers */
  readonly example?: unknown;
  /** for an operation whose scope the handler checks: the family of that scope, `:all` or `:{domain}` */
  readonly scopeFamily?: ScopeFamily;
  readonly response: {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    readonly schema: z.ZodType;
    /** default: JSON; of a stream, the schema is that of the data of an event */
    readonly contentType?: 'text/event-stream';
    readonly example?: unknown;
  };
  /** its further error responses by status, with a text for readers */
  readonly apiErrors?: readonly {
    readonly status: 400 | 401 | 403 | 404 | 409 | 503;
    readonly when: string;
  }[];
}

/** The operations of one service by id. */
export type ServiceDocument = Partial<Record<OperationId, OperationDocument>>;

/** The documentation of a call to a customer's URL. */
export interface WebhookDocument {
  /** the family of operations that it belongs to */
  readonly family: string;
  /** a few words, no full stop */
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodObject;
  readonly example: unknown;
}

/** Calls by their `type`. */
export type WebhookDocuments = Readonly<Record<string, WebhookDocument>>;
