import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError, type ApiOperationId, type ApiResponse } from '@postmesh/contracts';
import type { DialectName } from '@postmesh/settings';
import type { JsonSchema } from '../openapi/open-api.js';
import type { FieldTable } from './fields.js';

/** A request in a dialect, read but not translated. */
export interface Given {
  /** path parameters */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** parsed JSON, or the parts of a form by name; undefined when there is none */
  readonly body: unknown;
}

/** The head of a request, as its client has signed it. */
export type SignedRequest = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

/** A call of one of our own operations. */
export interface Call {
  readonly operation: ApiOperationId;
  /** path parameters in addition to the account */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** made when the call is: a thousand personalizations of a large message are not in memory at once */
  readonly body?: () => object;
}

/** The response of an operation with a status below 400. */
export interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** Calls of which every one has to succeed: the first error is the response. */
export interface WholePlan {
  readonly items?: undefined;
  readonly calls: readonly Call[];
  /** one more call, which depends on the results so far */
  readonly next?: (results: readonly Result[]) => Call | undefined;
  readonly answer: (results: readonly Result[]) => ApiResponse;
}

/** Items that succeed or fail one by one; an error is an item that could not be translated. */
export interface ItemsPlan {
  readonly calls?: undefined;
  readonly items: readonly (Call | ApiError)[];
  readonly answer: (outcomes: readonly (Result | ApiError)[]) => ApiResponse;
}

/** The bound of calls is reached, and a repetition continues. */
export const unfinished = (): ApiError =>
  new ApiError(503, 'not all is done yet, repeat the request', { 'retry-after': '1' });

export type Plan = WholePlan | ItemsPlan;

/** One operation of the other service. */
export interface DialectRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** for the reference */
  readonly what: string;
  /** what it becomes, for the reference */
  readonly becomes: string;
  readonly query?: FieldTable;
  /** of the body; of each item where the body is a list */
  readonly fields?: FieldTable;
  /** the body is a list, or has one under a name; `isEachAlone`: a wrong item is a result of its own */
  readonly list?: { readonly at?: string; readonly isEachAlone?: true };
  /** `form`: URL-encoded or multipart; left out: a body has no fields */
  readonly accepts?: 'json' | 'form';
  /**
   * Translates the whole request, before its first call.
   * @throws ApiError
   */
  readonly plan: (given: Given) => Plan | Promise<Plan>;
}

/** The API of another service, as far as ours can serve it. */
export interface Dialect {
  readonly name: DialectName;
  /** of the service whose API it is */
  readonly title: string;
  /** where a client has our API key, for the reference */
  readonly credentials: string;
  /** how its SDK is sent here, for the reference */
  readonly change: string;
  /** further differences, for the reference */
  readonly notes: readonly string[];
  readonly routes: Readonly<Record<string, DialectRoute>>;
  /** headers that ask for what ours does not have, with the reason */
  readonly refusedHeaders?: Readonly<Record<string, string>>;
  /** @returns our API key, or the access key of a signed request; undefined when there is none */
  readonly secretOf: (rawHeaders: readonly string[]) => string | undefined;
  /**
   * Checks the signature, where requests are signed.
   * @throws ApiError 401
   */
  readonly verify?: (request: SignedRequest, body: Buffer, secret: string, now: Date) => void;
  /**
   * The idempotency key of a header, where the dialect has one of its own rules.
   * @throws ApiError 400
   */
  readonly idempotencyKeyOf?: (header: string | string[] | undefined) => string | undefined;
  /** of OpenAPI, for the document */
  readonly security: JsonSchema;
  /** of the body of an error, for the document */
  readonly errorSchema: JsonSchema;
  /** statuses of errors whose body is a text */
  readonly plainErrors?: readonly number[];
  /** An error in the form that its clients read. */
  readonly error: (error: ApiError) => ApiResponse;
}
