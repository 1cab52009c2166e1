import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import {
  ApiError,
  FIGURES_HEADER,
  Transient,
  type AccountId,
  type ApiResponse,
  type Principal,
} from '@postmesh/contracts';
import type { Span } from '@postmesh/observability';
import { parseJsonBody, parseUuidParam } from './input.pipes.js';
import type { DeclaredOperation } from './operation.decorator.js';
import type { EndedRun } from '../idempotency/stored-responses.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import type { IdempotentRun } from '../idempotency/claims.js';

export const CALL = Symbol('ApiCall');

/** A request of an operation. Its body is a Buffer; any other value means no body. */
export interface OperationRequest extends FastifyRequest {
  [CALL]?: ApiCall;
}

/**
 * A use case calls it once inside the transaction of its effect: the response that is made of the result is then
 * stored for replay with that effect or not at all (architecture §3.2). A use case without HTTP gets `forgetResult`.
 */
export interface Remember<R> {
  (tx: EntityManager, result: R): Promise<void>;
  /**
   * For a use case that stores the results of many callers in one transaction: what `Idempotency.completeMany`
   * takes. Undefined when the caller has no idempotency key.
   */
  ended?(result: R): EndedRun | undefined;
}

/** The client no longer waits for the response: no failure, and nothing of it is stored. */
export class ClientGone extends Transient {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client has closed its connection');
  }
}

export const forgetResult: Remember<unknown> = async () => {};

/** The response to a call. */
export interface Outcome {
  readonly response: ApiResponse;
  /** set when it is the response to an error */
  readonly error?: unknown;
}

/** One call of an operation: its caller, its input, and where its response is stored. */
export class ApiCall {
  run: IdempotentRun | undefined;
  /** the response is stored for replay already, in the transaction of its effect */
  stored = false;
  span: Span | undefined;
  /** set when the operation has ended */
  outcome: Outcome | undefined;
  private gone: { readonly signal: AbortSignal; ignore(): void } | undefined;

  constructor(
    readonly operation: DeclaredOperation,
    readonly principal: Principal,
    private readonly request: OperationRequest,
    private readonly idempotency: Idempotency | undefined,
  ) {}

  get accountId(): AccountId {
    return this.principal.account_id;
  }

  /** the trace of its events; null when it is not traced */
  get trace(): string | null {
    return this.span?.traceparent ?? null;
  }

  get requestId(): string {
    return header(this.request, 'x-request-id');
  }

  get clientIp(): string {
    return header(this.request, 'x-client-ip');
  }

  /** Whether the gateway fills in the figures of other services (`FIGURES_HEADER`). */
  get figuresLater(): boolean {
    return header(this.request, FIGURES_HEADER) === 'later';
  }

  /**
   * Aborted with ClientGone when the connection closes before the response is made. For a use case that may wait: it
   * stops without an effect, and a retry begins again.
   */
  get signal(): AbortSignal {
    this.gone ??= untilGone(this.request.raw);
    return this.gone.signal;
  }

  /** The exact bytes of the body; empty when there was none. */
  get rawBody(): Buffer {
    return Buffer.isBuffer(this.request.body) ? this.request.body : Buffer.alloc(0);
  }

  /** The body for callers that can continue without it; undefined when it is not JSON. */
  bodyIfJson(): unknown {
    try {
      return parseJsonBody(this.request.body);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  param(name: string): string {
    const value = (this.request.params as Record<string, string | undefined>)[name];
    return value ?? '';
  }

  /** @throws ApiError 400 `invalid <name>` */
  uuidParam(name: string): string {
    return parseUuidParam(this.request.params, name);
  }

  /**
   * Runs a use case and makes the response of its result, once: the response that the use case stores in its
   * transaction is the one that is sent. If the use case stores none, it is stored afterwards.
   */
  async respond<R>(
    run: (remember: Remember<R>) => Promise<R>,
    toResponse: (result: R) => ApiResponse,
  ): Promise<ApiResponse> {
    // read by now; a large one would stay in memory until the response is made
    this.request.body = undefined;
    let response: ApiResponse | undefined;
    const ended = (result: R) => this.ended((response = toResponse(result)));
    const remember = async (tx: EntityManager, result: R) => {
      const run = ended(result);
      if (run) await this.idempotency?.completeMany(tx, [run]);
    };
    try {
      const result = await run(Object.assign(remember, { ended }));
      return response ?? toResponse(result);
    } finally {
      this.gone?.ignore();
    }
  }

  /**
   * Stores a response that was not stored with an effect: an error, or of an operation without a transaction. An API
   * error is a response like any other; after anything else the key is free for a retry at once.
   * @returns undefined when there is nothing to be done
   * @throws Error when the response cannot be stored: it may not be sent then
   */
  settle(): Promise<void> | undefined {
    const { outcome, span, run } = this;
    if (!outcome || (!run && !span)) return undefined;
    // a failure below is sent as an error, and that response is not stored
    this.span = this.run = undefined;
    const { response, error } = outcome;
    if (error === undefined) span?.end({ 'http.response.status_code': response.status });
    else span?.fail(error);
    return run && !(this.stored && error === undefined) ? this.settleRun(run, outcome) : undefined;
  }

  private async settleRun(run: IdempotentRun, { response, error }: Outcome): Promise<void> {
    try {
      if (error === undefined || error instanceof ApiError)
        await this.idempotency?.completeAlone(run, toStored(response));
      else await this.idempotency?.release(run);
    } catch (failure) {
      await this.idempotency?.release(run);
      throw failure;
    }
  }

  private ended(response: ApiResponse): EndedRun | undefined {
    if (!this.run) return undefined;
    this.stored = true;
    return { run: this.run, response: toStored(response) };
  }
}

/** @returns aborted with ClientGone when the connection closes before `ignore` is called */
function untilGone({ socket }: IncomingMessage) {
  const gone = new AbortController();
  const leave = () => gone.abort(new ClientGone());
  if (socket.destroyed) leave();
  else socket.once('close', leave);
  return { signal: gone.signal, ignore: () => void socket.off('close', leave) };
}

function toStored(response: ApiResponse) {
  return {
    status: response.status,
    body: response.bytes,
    contentType: 'application/json',
    encrypt: response.secret ?? false,
  };
}

export function header(request: Pick<OperationRequest, 'headers'>, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Parameter decorator: the ApiCall of an `@Operation` method. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext): ApiCall => {
  const call = context.getArgByIndex<OperationRequest>(0)[CALL];
  if (!call) throw new Error('@Call() is for methods with @Operation()');
  return call;
});

/** Parameter decorator for `@Internal()` methods: as `ApiCall.signal`, when the calling service disconnects. */
export const CallerSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const http = context.switchToHttp();
  const { signal, ignore } = untilGone(http.getRequest<FastifyRequest>().raw);
  // its connection serves further requests
  http.getResponse<FastifyReply>().raw.once('close', ignore);
  return signal;
});
