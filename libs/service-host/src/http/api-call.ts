import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  ApiError,
  FIGURES_HEADER,
  Transient,
  type AccountId,
  type ApiResponse,
  type Principal,
} from '@postmesh/contracts';
import type { OperationCall } from '@postmesh/http';
import { parseJsonBody, parseUuidParam } from './input.pipes.js';
import type { EndedRun } from '../idempotency/stored-responses.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import type { IdempotentRun } from '../idempotency/claims.js';

export const CALL = Symbol('ApiCall');

/** The parts of a request that an operation reads: Fastify's request, or one made from a call in the process. */
export interface OperationRequest {
  readonly method: string;
  /** path and query as received */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  readonly query: unknown;
  readonly raw: IncomingMessage;
  /** bytes; anything else means that there is no body */
  body?: unknown;
  /** of `OperationCall` */
  readonly freeKey?: OperationCall['freeKey'];
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

/** One call of an operation: its caller, its input, and where its response is stored. */
export class ApiCall {
  run: IdempotentRun | undefined;
  /** the response is stored for replay already, in the transaction of its effect */
  stored = false;
  /** for its events, which belong to the same trace; null: it is not traced */
  trace: string | null = null;
  private gone: { readonly signal: AbortSignal; ignore(): void } | undefined;

  constructor(
    readonly principal: Principal,
    private readonly request: OperationRequest,
    private readonly idempotency: Idempotency | undefined,
  ) {}

  get accountId(): AccountId {
    return this.principal.account_id;
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

  private ended(response: ApiResponse): EndedRun | undefined {
    if (!this.run) return undefined;
    this.stored = true;
    return { run: this.run, response: toStored(response) };
  }
}

function untilGone({ socket }: IncomingMessage) {
  const gone = new AbortController();
  const leave = () => gone.abort(new ClientGone());
  if (socket.destroyed) leave();
  else socket.once('close', leave);
  return { signal: gone.signal, ignore: () => void socket.off('close', leave) };
}

export function toStored(response: ApiResponse) {
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
  const call = context.switchToHttp().getRequest<OperationRequest>()[CALL];
  if (!call) throw new Error('@Call() is for methods with @Operation()');
  return call;
});
