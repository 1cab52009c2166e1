import type { z } from 'zod';
import type { ScopeFamily } from '../principal/scopes.js';
import type { OperationId } from './operations.js';

/**
 * What the API document says about an operation beyond `OPERATIONS`, in the same zod schemas that read requests
 * and describe responses. What every operation has (the errors of spec 1-platform §1.4, path parameters,
 * pagination, idempotency, scopes) stands in libs/api-document and is not repeated here.
 */
export interface OperationDocument {
  /** a few words, no full stop */
  readonly summary: string;
  /** Markdown: what it does, its limits, what happens twice */
  readonly description?: string;
  /** query parameters; a list that is paginated says `paginated` instead of naming limit, after and before */
  readonly query?: z.ZodObject;
  readonly paginated?: boolean;
  /** the schema that reads the body; undefined where there is none */
  readonly body?: z.ZodObject;
  /** true: the body may be left out */
  readonly bodyOptional?: boolean;
  /** a request that works, for people */
  readonly example?: unknown;
  /** for an operation whose scope the handler checks: the family of which it asks a scope, `:all` or `:{domain}` */
  readonly scopeFamily?: ScopeFamily;
  readonly response: {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    readonly schema: z.ZodType;
    readonly example?: unknown;
  };
  /** what else it can respond, by status, with the text that people read */
  readonly apiErrors?: readonly { readonly status: 400 | 403 | 404 | 409 | 503; readonly when: string }[];
}

/** The operations of one service by id. */
export type ServiceDocument = Partial<Record<OperationId, OperationDocument>>;

/** What the API document says about a call that we make to a customer's URL. */
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
