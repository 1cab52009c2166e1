import { isAscii, isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  JsonTooLarge,
  parseBody,
  requireBoundedJson,
  Uuid,
  withExactNumbers,
  type BodyRules,
} from '@postmesh/contracts';

// Steps 11 and 12 of spec 1-platform §1.5. Nest reads parameters inside the interceptors, so each of these runs
// after idempotency and scope, and its error is stored under the idempotency key like every other. Nest starts the
// pipes of all parameters at once, and the first error is the response: ids of the path are read at once, the query one
// turn of the microtasks later, the body two, so that their errors come in the order of the contract.
const QUERY_TURNS = 1;
const BODY_TURNS = 2;

const inTurn = <T>(turns: number, read: (given: unknown) => T): PipeTransform<unknown, Promise<T>> => ({
  transform: async (given) => {
    for (let turn = 0; turn < turns; turn += 1) await undefined;
    return read(given);
  },
});

/** `@Body(body(CreateDomainBody)) input`: the body by a strict zod object, with the error texts of `parseBody`. */
export function body<S extends z.ZodObject>(
  schema: S,
  rules: BodyRules = {},
): PipeTransform<unknown, Promise<z.infer<S>>> {
  return inTurn(BODY_TURNS, (bytes) => parseBody(schema, readJson(bytes, rules), rules));
}

/** As `body`, for an operation whose body may be left out: then the value is undefined. */
export function optionalBody<S extends z.ZodObject>(
  schema: S,
  rules: BodyRules = {},
): PipeTransform<unknown, Promise<z.infer<S>>> {
  const isGiven = (bytes: unknown) => Buffer.isBuffer(bytes) && bytes.length > 0;
  return inTurn(BODY_TURNS, (bytes) =>
    parseBody(schema, isGiven(bytes) ? readJson(bytes, rules) : {}, rules),
  );
}

function readJson(bytes: unknown, { exactNumbersIn }: BodyRules): unknown {
  const given = parseJsonBody(bytes);
  return exactNumbersIn ? withExactNumbers(given, () => jsonTextOf(bytes), exactNumbersIn) : given;
}

/** Query parameters by name, none of them empty; the first non-empty value of a repeated one counts. */
type QueryParameters = Readonly<Record<string, string | undefined>>;

/** @param all the parameters as received, for one that may be repeated */
type ReadQuery<T> = (given: QueryParameters, all: RawQuery) => T;
type QueryReader<T> = z.ZodType<T> | ReadQuery<T>;

/**
 * `@Query(query(ListDomainsQuery)) filters`, or with a function that reads the parameters, such as
 * `query(parsePageQuery)`; `@Query(query(parsePageQuery, ListDomainsQuery)) [page, filters]` reads one after the other.
 * Parameters that a schema does not name are ignored, and an empty one counts as absent, whatever it is for
 * (spec 1-platform §1.1 rule 7): every query is read here.
 */
export function query<T>(reader: QueryReader<T>): PipeTransform<unknown, Promise<T>>;
export function query<A, B>(
  first: QueryReader<A>,
  second: QueryReader<B>,
): PipeTransform<unknown, Promise<[A, B]>>;
export function query(...readers: QueryReader<unknown>[]): PipeTransform<unknown, Promise<unknown>> {
  const reads = readers.map((reader): ReadQuery<unknown> =>
    typeof reader === 'function' ? reader : (given) => parseQuery(reader as unknown as z.ZodObject, given),
  );
  return inTurn(QUERY_TURNS, (all) => {
    const given = givenOnes(all as RawQuery);
    const values = reads.map((read) => read(given, all as RawQuery));
    return values.length === 1 ? values[0] : values;
  });
}

/**
 * `@uuidParam('webhook_id') id: WebhookId`: a part of the path that is a UUID, in lower case. Nest reads the last
 * parameter first: the two ids of an operation are read by one pipe of `@Call`, with `call.uuidParam`.
 */
export const uuidParam = createParamDecorator((name: string, context: ExecutionContext): string => {
  const { params } = context.getArgByIndex<FastifyRequest>(0);
  return parseUuidParam(params, name);
});

/** @throws ApiError 400 `invalid <name>` */
export function parseUuidParam(params: unknown, name: string): string {
  const parsed = Uuid.safeParse((params as Record<string, string | undefined>)[name]);
  if (!parsed.success) throw ApiErrors.invalidParameter(name);
  return parsed.data;
}

/**
 * @param bytes the raw body; anything else means that there is none
 * `__proto__` is a key like any other in it, which no schema of ours has: `parseBody` names it.
 * @throws ApiError 400 when it is not JSON, has more structure than a request may have, or holds invalid text: bytes
 * that are not UTF-8, half of a surrogate pair
 */
export function parseJsonBody(bytes: unknown): unknown {
  const given = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  try {
    requireBoundedJson(given);
    const text = textOf(given);
    const parsed: unknown = JSON.parse(text);
    if (ESCAPED_SURROGATE.test(text)) requireWellFormed(parsed);
    return parsed;
  } catch (error) {
    throw error instanceof JsonTooLarge ? ApiErrors.bodyBeyondLimits(error.message) : ApiErrors.invalidBody();
  }
}

const jsonTextOf = (bytes: unknown): string => (Buffer.isBuffer(bytes) ? textOf(bytes) : '');

// UTF-8 cannot encode a lone surrogate.
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** @throws Error for a key or a text with half of a surrogate pair */
function requireWellFormed(parsed: unknown): void {
  // no recursion: the client decides the depth
  const open: unknown[] = [parsed];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && LONE_SURROGATE.test(value)) throw new Error('half of a surrogate pair');
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) open.push(key, inner);
  }
}

const LONE_SURROGATE = /\p{Cs}/u;

// From this size it is faster: 20 MiB of base64 are read in 20 ms instead of 50, and their text stays out of the heap.
const LARGE_BYTES = 256 * 1024;

/** @throws Error when the bytes are not UTF-8 */
function textOf(bytes: Buffer): string {
  // ASCII in both
  if (bytes.length >= LARGE_BYTES && isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new Error('not UTF-8');
  return bytes.toString();
}

/** As received: a repeated parameter is a list. */
type RawQuery = Readonly<Record<string, string | string[] | undefined>>;

/** In the parameters of a query that is no text: `%ff`, `%zz`. */
const UNREADABLE = Symbol('unreadable');

/** The parser of queries of Fastify's router, which must not throw. */
export function parseQueryText(text: string): RawQuery {
  const given = parse(text);
  return isPercentEncodedText(text) ? given : Object.assign(given, { [UNREADABLE]: true });
}

function isPercentEncodedText(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws ApiError 400 for bytes that are not UTF-8 (RFC 3986 §2.5, spec 1-platform §1.4) */
function givenOnes(query: RawQuery): QueryParameters {
  if (UNREADABLE in query) throw new ApiError(400, 'invalid query, percent-encode it in UTF-8');
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const first = [value].flat().find((one) => one !== undefined && one !== '');
    if (first !== undefined) given[name] = first;
  }
  return given;
}

/** @throws ApiError 400 for the first invalid parameter: its own message, or `invalid <name>` with the allowed values */
function parseQuery(schema: z.ZodObject, given: QueryParameters): unknown {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  for (const name of Object.keys(schema.shape)) {
    const issue = issues.find(({ path }) => path[0] === name);
    if (issue?.code === 'custom') throw new ApiError(400, issue.message);
    // the text for a boolean is fixed (spec 1-platform §1.1 rule 8)
    const isChoice = issue?.code === 'invalid_value' && !issue.values.includes('true');
    if (isChoice) throw ApiErrors.invalidParameter(name, issue.values);
    if (issue) throw ApiErrors.invalidParameter(name);
  }
  throw new ApiError(400, issues[0]?.message ?? 'invalid query');
}
