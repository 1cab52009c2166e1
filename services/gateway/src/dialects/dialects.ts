import { createHash, webcrypto } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { eachBounded } from '@postmesh/concurrency';
import { ApiError, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { SecretBox } from '@postmesh/secrets';
import { LOGGER, SETTINGS, toApiError } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ActiveKey } from '../api-keys/key-cache.js';
import { keyOf } from '../forward/idempotency-register.js';
import { OperationCalls, type OperationCall } from '../forward/operation-calls.js';
import type { Exchange } from '../http-api/exchange.js';
import { allowedMethods, parametersOf, PathRouter } from '../http-api/operation-router.js';
import { respond } from '../http-api/responding.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import {
  unfinished,
  type Call,
  type Dialect,
  type DialectRoute,
  type Given,
  type ItemsPlan,
  type Plan,
  type Result,
  type WholePlan,
} from './dialect.js';
import { DIALECT_TABLE } from './dialects.table.js';
import { FieldError, translate } from './fields.js';
import { RequestReader, type ReadBody } from './request-reader.js';

interface SpokenRoute extends DialectRoute {
  readonly id: string;
  readonly dialect: Dialect;
}

// Calls of one request at once: the sends share a group commit, and a batch leaves room for the requests of others.
const WIDTH = 8;
// Calls beyond the account's rate wait; clients wait for a minute.
const MAX_PACED_MS = 45_000;
/** Calls that each depend on the one before. */
const MAX_STEPS = 60;

/** The checks of a request that concern its caller. */
interface Entry {
  /** @throws what the check throws */
  readonly prove: (check: () => void) => Promise<void>;
  /** @throws ApiError 429 */
  readonly enter: () => Promise<void>;
}

const REPLAYED = 'idempotent-replayed';

/** A translated request with what its calls have in common. */
interface Run {
  readonly exchange: Exchange;
  readonly key: ActiveKey;
  readonly idempotency: OperationCall['idempotency'];
  readonly deadline: number;
}

/**
 * Requests in the dialects of other services (decision 132). Each becomes calls of our own operations, in the name of the
 * caller that the checks of every API request have found.
 */
@Injectable()
export class Dialects {
  private readonly router: PathRouter<SpokenRoute>;

  constructor(
    private readonly reader: RequestReader,
    private readonly calls: OperationCalls,
    private readonly limits: RateLimits,
    private readonly secrets: SecretBox,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const spoken = DIALECT_TABLE.filter(({ name }) => settings.dialects.includes(name));
    this.router = new PathRouter(
      spoken.flatMap((dialect) =>
        Object.entries(dialect.routes).map(([id, route]) => ({
          ...route,
          id: `${dialect.name}.${id}`,
          dialect,
        })),
      ),
    );
  }

  /**
   * Notes the dialect of a request; from then on its errors have the form of that dialect.
   * @returns false for a path of no dialect that is switched on
   * @throws ApiError 405
   */
  find(exchange: Exchange): boolean {
    const known = this.pathOf(exchange);
    const [any] = known?.methods.values() ?? [];
    if (!known || !any) return false;
    const route = known.methods.get(exchange.request.method ?? '');
    exchange.dialect = { ...any.dialect, ...(route && { routeId: route.id }) };
    if (!route) throw ApiErrors.methodNotAllowed(allowedMethods(known));
    exchange.params = parametersOf(route, known);
    return true;
  }

  /** A slash at the end of a path changes nothing: some SDKs write it. */
  private pathOf({ path }: Exchange) {
    return this.router.find(path) ?? (path.endsWith('/') ? this.router.find(path.slice(0, -1)) : undefined);
  }

  /**
   * A signature is over the body, so a signed request enters after it was read.
   * @throws ApiError, Transient (503) or Error (500) as long as no response has begun
   */
  async serve(exchange: Exchange, key: ActiveKey, { prove, enter }: Entry): Promise<void> {
    const route = this.pathOf(exchange)?.methods.get(exchange.request.method ?? '');
    if (!route) throw ApiErrors.unknownPath();
    const { verify } = route.dialect;
    if (!verify) await enter();
    const body = await this.reader.read(exchange, route, key.principal.account_id);
    try {
      if (verify) {
        const secret = this.signingSecret(key);
        await prove(() => verify(exchange.request, body.identity(), secret, new Date()));
        await enter();
      }
      await this.answer(exchange, { route, body, key });
    } finally {
      body.release();
    }
  }

  private signingSecret({ sealedSigningSecret, principal }: ActiveKey): string {
    if (sealedSigningSecret === undefined) throw ApiErrors.invalidKey();
    return this.secrets.open(sealedSigningSecret, `ses-credential/${principal.key_id}`);
  }

  private async answer(
    exchange: Exchange,
    { route, body, key }: { route: SpokenRoute; body: ReadBody; key: ActiveKey },
  ): Promise<void> {
    const { headers, url = '' } = exchange.request;
    requireHeaders(headers, route.dialect);
    const query = Object.fromEntries(new URLSearchParams(url.slice(exchange.path.length)));
    translate(route.query ?? {}, query);
    if (!route.accepts) translate({}, body.parsed ?? {});
    const given: Given = { params: exchange.params, query, headers, body: body.parsed };
    const idempotency = await idempotencyOf(route, given, body);
    const plan = await route.plan(given);
    const deadline = performance.now() + MAX_PACED_MS;
    const made = await this.run(plan, { exchange, key, idempotency, deadline });
    await respond(exchange, made);
  }

  private run(plan: Plan, run: Run): Promise<ApiResponse> {
    return plan.items ? this.runItems(plan, run) : this.runWhole(plan, run);
  }

  /** The first call alone: an error that all of them would have is then the response, and nothing was done. */
  private async runWhole({ calls, next, answer }: WholePlan, run: Run): Promise<ApiResponse> {
    const results: Result[] = [];
    const [first, ...rest] = calls;
    if (first) results.push(await this.call(first, 0, run));
    const failures: unknown[] = [];
    await eachBounded(rest.entries(), WIDTH, async ([at, call]) => {
      if (failures.length > 0) return;
      try {
        results[at + 1] = await this.call(call, at + 1, run);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw partlyDone(failures[0], results.filter(Boolean).length, calls.length);
    for (let step = calls.length; next; step += 1) {
      const call = next(results);
      if (!call) break;
      if (step >= MAX_STEPS) throw unfinished();
      results.push(await this.call(call, step, run));
    }
    return asReplay(answer(results), results);
  }

  private async runItems({ items, answer }: ItemsPlan, run: Run): Promise<ApiResponse> {
    const outcomes: (Result | ApiError)[] = [];
    await eachBounded(items.entries(), WIDTH, async ([at, item]) => {
      outcomes[at] =
        item instanceof ApiError
          ? item
          : await this.call(item, at, run).catch((error: unknown) => this.failed(error, run));
    });
    return answer(outcomes);
  }

  /** The error of one item, whose request succeeds: a failure is not seen anywhere else. */
  private failed(error: unknown, { exchange }: Run): ApiError {
    const made = toApiError(error);
    if (made.status >= 500) {
      const { requestId, dialect } = exchange;
      this.logger.error(
        { event: 'request.failed', err: error, request_id: requestId, operation: dialect?.routeId },
        'an item of a batch failed, its client may repeat it',
      );
    }
    return made;
  }

  /** @param at its place in the plan: the request has one idempotency key, and each call its own */
  private async call(
    { operation, params = {}, query = {}, body }: Call,
    at: number,
    run: Run,
  ): Promise<Result> {
    const { exchange, key, idempotency, deadline } = run;
    if (at > 0) await this.limits.further(key, 'general', deadline);
    const given: OperationCall = {
      operation,
      params,
      query,
      body: body && Buffer.from(JSON.stringify(body())),
      idempotency: idempotency && { ...idempotency, key: `${idempotency.key}-${at}` },
    };
    const { status, headers, bytes } = await this.calls.call(exchange, given, key.principal);
    const read: unknown = JSON.parse(bytes.toString() || 'null');
    if (status >= 400) throw errorOf(status, headers, read);
    return { status, headers, body: read };
  }
}

/** @throws FieldError for a header that asks for what ours does not have */
function requireHeaders(headers: IncomingHttpHeaders, { refusedHeaders = {} }: Dialect): void {
  const all = { 'content-encoding': 'bodies are not compressed', ...refusedHeaders };
  for (const [name, why] of Object.entries(all)) {
    if (headers[name] !== undefined) throw new FieldError(name, `is not supported: ${why}`);
  }
}

/** A repetition of which nothing was new says so, as in our own API (spec 1-platform §4.3). */
function asReplay(made: ApiResponse, results: readonly Result[]): ApiResponse {
  const isReplay = results.length > 0 && results.every(({ headers }) => headers[REPLAYED] === 'true');
  return isReplay ? { ...made, headers: { ...made.headers, [REPLAYED]: 'true' } } : made;
}

/** Headers of an error that clients act on. */
const ERROR_HEADERS = ['retry-after', REPLAYED, 'www-authenticate'] as const;

function errorOf(status: number, headers: Result['headers'], body: unknown): ApiError {
  const { message } = (body ?? {}) as { message?: unknown };
  const kept = ERROR_HEADERS.flatMap((name) =>
    typeof headers[name] === 'string' ? [[name, headers[name]] as const] : [],
  );
  return new ApiError(status, typeof message === 'string' ? message : '', Object.fromEntries(kept));
}

function partlyDone(failure: unknown, done: number, of: number): ApiError {
  const { status, message, headers } = toApiError(failure);
  return new ApiError(
    status,
    `${message} (${done} of ${of} messages were accepted; a repetition with the same Idempotency-Key sends none of them again)`,
    headers,
  );
}

/**
 * The idempotency key of a request, of its own name space and of a fixed length, and the digest of the whole request: a
 * repetition with another item in a batch is another request.
 * @throws ApiError 400 when the key is longer than that of the dialect, or than ours
 */
async function idempotencyOf(
  { id, dialect, method }: SpokenRoute,
  { headers, params, query }: Given,
  body: ReadBody,
): Promise<OperationCall['idempotency']> {
  const given = headers['idempotency-key'];
  const key = dialect.idempotencyKeyOf ? dialect.idempotencyKeyOf(given) : keyOf(headers);
  if (key === undefined) return undefined;
  const head = JSON.stringify([method, id, params, query]);
  const content = Buffer.from(
    await webcrypto.subtle.digest('SHA-256', body.identity() as Uint8Array<ArrayBuffer>),
  );
  return {
    key: `${dialect.name}-${createHash('sha256').update(key).digest('hex')}`,
    digest: createHash('sha256').update(content).update(head).digest('base64url'),
  };
}
