import { Injectable } from '@nestjs/common';
import {
  ApiErrors,
  operationSpec,
  REQUEST_DIGEST_HEADER,
  type ApiOperationId,
  type Principal,
  type ServiceName,
} from '@postmesh/contracts';
import { PrincipalMinter, ServiceDirectory, type InternalResponse } from '@postmesh/http';
import { LARGE_FROM_BYTES } from '@postmesh/service-host';
import { CallerAudit } from '../audit/caller-audit.js';
import type { Exchange } from '../http-api/exchange.js';
import { forwardedHeaders, toForwardError } from './forward.rules.js';
import { holderIn, IdempotencyRegister, type KeyedRequest } from './idempotency-register.js';

/** A call of an operation of the API that the gateway makes for a client. */
export interface OperationCall {
  readonly operation: ApiOperationId;
  /** path parameters in addition to the account */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON */
  readonly body: Buffer | undefined;
  /** used where the operation honours one */
  readonly idempotency: { readonly key: string; readonly digest: string } | undefined;
}

interface Request {
  readonly service: ServiceName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

// A key that was freed can be taken again before the request arrives; after this many rounds it counts as held.
const MAX_ROUNDS = 3;

// A service reads a large body once it has memory for it (decision 34): 45 s of waiting, and the request itself.
const LARGE_RESPONSE_MS = 90_000;

/**
 * Calls an operation in the name of the caller of a request, whose checks have passed: the service sees what it would of a
 * request to the API, and its response comes back here.
 */
@Injectable()
export class OperationCalls {
  constructor(
    private readonly directory: ServiceDirectory,
    private readonly minter: PrincipalMinter,
    private readonly register: IdempotencyRegister,
    private readonly audit: CallerAudit,
  ) {}

  /** @throws ApiError 400, 422 of the idempotency key, 503 of the audit; Transient (503) or Error (500) when the service does not respond */
  async call(exchange: Exchange, call: OperationCall, principal: Principal): Promise<InternalResponse> {
    const spec = operationSpec(call.operation);
    const { service, method, path, idempotent } = spec;
    await this.audit.begin(exchange, { ...spec, id: call.operation }, principal, call.params);
    const idempotency = idempotent === false ? undefined : call.idempotency;
    const keyed = idempotency && { accountId: principal.account_id, key: idempotency.key, service };
    const { requestId, clientIp, span } = exchange;
    const headers = forwardedHeaders(
      {
        'user-agent': exchange.request.headers['user-agent'],
        ...(call.body && { 'content-length': String(call.body.length) }),
        ...(keyed && { 'idempotency-key': keyed.key }),
      },
      {
        principal: this.minter.mint(principal, service),
        requestId,
        clientIp,
        keyEntry: keyed && (await this.register.enter(keyed)),
        ...(span && { traceparent: span.traceparent }),
      },
    );
    if (idempotency) headers[REQUEST_DIGEST_HEADER] = idempotency.digest;
    const url = urlOf(path, { ...call.params, account_id: principal.account_id }, call.query);
    return this.sendKeyed({ service, method, path: url, headers, body: call.body }, keyed);
  }

  /** Once more when the service found the idempotency key with another one that has given it up now. */
  private async sendKeyed(request: Request, keyed: KeyedRequest | undefined): Promise<InternalResponse> {
    for (let round = 1; ; round += 1) {
      const received = await this.send(request);
      const holder = keyed && received.status === 422 ? holderIn(received.headers) : undefined;
      if (!keyed || !holder) return received;
      if (round > MAX_ROUNDS || !(await this.register.free(keyed, holder)))
        throw ApiErrors.idempotencyMismatch();
    }
  }

  private async send({ service, method, path, headers, body }: Request): Promise<InternalResponse> {
    const local = this.directory.findLocal(service);
    try {
      if (local) {
        const raw = body && { bytes: body, contentType: 'application/json' };
        return await local.inject({ method, path, headers, ...(raw && { raw }) });
      }
      const { pool, streams, prefix } = this.directory.remoteOf(service);
      const isLarge = body !== undefined && body.length >= LARGE_FROM_BYTES;
      const received = await (isLarge ? streams : pool).request({
        method,
        path: prefix + path,
        headers,
        body: body ?? null,
        ...(isLarge ? { headersTimeout: LARGE_RESPONSE_MS } : {}),
      });
      const bytes = Buffer.from(await received.body.arrayBuffer());
      return { status: received.statusCode, headers: received.headers, bytes };
    } catch (error) {
      throw toForwardError(error, service, { method });
    }
  }
}

function urlOf(
  path: string,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
