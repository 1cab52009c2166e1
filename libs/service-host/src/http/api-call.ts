import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import type { EntityManager } from 'typeorm';
import {
  ApiError,
  ApiErrors,
  Uuid,
  type AccountId,
  type ApiResponse,
  type Principal,
} from '@postmesh/contracts';
import type { EndedRun, Idempotency, IdempotentRun } from '@postmesh/idempotency';

export const CALL = Symbol('ApiCall');

/** One call of an operation: who calls, with what, and where its answer is remembered. */
export class ApiCall {
  run: IdempotentRun | undefined;
  /** the answer is stored for replay already, in the transaction of its effect */
  stored = false;
  private parsed: { value: unknown } | undefined;

  constructor(
    readonly principal: Principal,
    private readonly request: FastifyRequest,
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

  /** The exact bytes of the body; empty when there was none. */
  get rawBody(): Buffer {
    return Buffer.isBuffer(this.request.body) ? this.request.body : Buffer.alloc(0);
  }

  /** @throws ApiError 400 when the body is no JSON */
  body(): unknown {
    this.parsed ??= { value: parseJson(this.rawBody) };
    return this.parsed.value;
  }

  /** The same for who can go on without: undefined when it is no JSON. */
  bodyIfJson(): unknown {
    try {
      return this.body();
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
    const parsed = Uuid.safeParse(this.param(name));
    if (!parsed.success) throw ApiErrors.invalidParameter(name);
    return parsed.data;
  }

  /** Query parameters; of a repeated one the first counts. */
  get query(): Record<string, string | undefined> {
    const query = this.request.query as Record<string, string | string[] | undefined>;
    return Object.fromEntries(Object.entries(query).map(([name, v]) => [name, Array.isArray(v) ? v[0] : v]));
  }

  /**
   * Remembers the answer for replay in the transaction of the effect (architecture §3.2). Does nothing when
   * the request has no idempotency key.
   */
  async remember(manager: EntityManager, response: ApiResponse): Promise<void> {
    const ended = this.ended(response);
    if (ended) await this.idempotency?.completeMany(manager, [ended]);
  }

  /** What `Idempotency.completeMany` takes, for handlers that store many requests in one transaction. */
  ended(response: ApiResponse): EndedRun | undefined {
    if (!this.run) return undefined;
    this.stored = true;
    return { run: this.run, response: toStored(response) };
  }
}

export function toStored(response: ApiResponse) {
  return {
    status: response.status,
    body: response.bytes,
    contentType: 'application/json',
    encrypt: response.secret ?? false,
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return secureJson.parse(bytes, undefined, { protoAction: 'error', constructorAction: 'ignore' });
  } catch {
    throw ApiErrors.invalidBody();
  }
}

export function header(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Parameter decorator: the ApiCall of an `@Operation` method. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext): ApiCall => {
  const request: { [CALL]?: ApiCall } = context.switchToHttp().getRequest();
  const call = request[CALL];
  if (!call) throw new Error('@Call() is for methods with @Operation()');
  return call;
});
