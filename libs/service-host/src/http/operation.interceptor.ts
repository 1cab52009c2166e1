import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import {
  ApiError,
  apiResponse,
  hasAnyOfFamily,
  hasStaticScope,
  operationSpec,
  ApiErrors,
  type ApiResponse,
  type OperationId,
  type OperationSpec,
  type Principal,
  type ScopeFamily,
} from '@postmesh/contracts';
import { idempotencyKeyOf, type Idempotency } from '@postmesh/idempotency';
import { SERVICE_TOKEN_HEADER, type PrincipalVerifier, type ServiceTokens } from '@postmesh/internal-http';
import { ApiCall, CALL, header, toStored } from './api-call.js';
import { BEFORE_REPLAY, INTERNAL, OPERATION, type OperationOptions } from './operation.decorator.js';

export interface OperationPorts {
  principals: PrincipalVerifier;
  tokens: ServiceTokens;
  /** undefined for services without a database */
  idempotency: Idempotency | undefined;
}

interface Served extends OperationOptions {
  spec: OperationSpec;
  call: ApiCall;
  request: FastifyRequest;
}

/**
 * What happens around every operation, in the order of spec 1-platform §1.5 from step 9 on: idempotency,
 * scope, then the handler; the answer is remembered with its effect.
 */
@Injectable()
export class OperationInterceptor implements NestInterceptor {
  constructor(private readonly ports: OperationPorts) {}

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest & { [CALL]?: ApiCall }>();
    const id = metadata<OperationId>(context, OPERATION);
    if (id === undefined) {
      if (metadata<boolean>(context, INTERNAL)) this.requireService(request);
      return next.handle();
    }
    const principal = this.requirePrincipal(request);
    const call = new ApiCall(principal, request, this.ports.idempotency);
    request[CALL] = call;
    const beforeReplay = metadata<OperationOptions['beforeReplay']>(context, BEFORE_REPLAY);
    const served = { spec: operationSpec(id), beforeReplay, call, request };
    return from(this.serve(served, () => lastValueFrom(next.handle()) as Promise<ApiResponse>));
  }

  private async serve(served: Served, handle: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const { spec, call } = served;
    const replay = await this.claim(served);
    if (replay) {
      checkReplay(served, replay);
      return replay;
    }
    try {
      checkPermission(spec, call.principal);
      const given = await handle();
      await this.rememberAlone(call, given);
      return given;
    } catch (error) {
      await this.settleFailure(call, error);
      throw error;
    }
  }

  /** @returns the stored answer when the request was answered before */
  private async claim({ spec, call, request }: Served): Promise<ApiResponse | undefined> {
    const { idempotency } = this.ports;
    if (spec.idempotent === false || !idempotency) return undefined;
    const key = idempotencyKeyOf(request.headers['idempotency-key']);
    if (key === undefined) return undefined;
    const path = request.url.split('?')[0] ?? '';
    const fingerprint = await idempotency.fingerprint(request.method, path, call.rawBody);
    const claim = await idempotency.claim({
      accountId: call.accountId,
      key,
      fingerprint,
      mode: spec.idempotent,
    });
    switch (claim.kind) {
      case 'run':
        call.run = claim.run;
        return undefined;
      case 'replay':
        return { status: claim.status, bytes: claim.body, headers: { 'idempotent-replayed': 'true' } };
      case 'in-progress':
        throw ApiErrors.idempotencyInProgress(claim.retryAfterSeconds);
      case 'mismatch':
        throw ApiErrors.idempotencyMismatch();
    }
  }

  /** An answer without an effect: errors, and operations that have no transaction. */
  private async rememberAlone(call: ApiCall, given: ApiResponse): Promise<void> {
    if (call.run && !call.stored) await this.ports.idempotency?.completeAlone(call.run, toStored(given));
  }

  /** A error is an answer like any other; after anything else the key is free for a retry at once. */
  private async settleFailure(call: ApiCall, error: unknown): Promise<void> {
    if (!call.run || !this.ports.idempotency) return;
    if (error instanceof ApiError) {
      const apiError = apiResponse(error.status, { message: error.message });
      await this.ports.idempotency.completeAlone(call.run, toStored(apiError));
    } else {
      await this.ports.idempotency.release(call.run);
    }
  }

  private requirePrincipal(request: FastifyRequest): Principal {
    const principal = this.ports.principals.verify(header(request, 'x-principal'));
    const account = (request.params as { account_id?: string }).account_id;
    if (!principal || (account !== undefined && account.toLowerCase() !== principal.account_id)) {
      throw ApiErrors.invalidKey();
    }
    return principal;
  }

  private requireService(request: FastifyRequest): void {
    if (this.ports.tokens.verify(header(request, SERVICE_TOKEN_HEADER)) === undefined)
      throw ApiErrors.unknownPath();
  }
}

/**
 * A weak key must not fetch what a stronger key's request was answered (spec 1-platform §4.3 rule 10). A
 * stored 403 gives nothing away, and is what the weak key is due to hear.
 */
function checkReplay({ spec, call, beforeReplay }: Served, replay: ApiResponse): void {
  if (replay.status === 403) return;
  checkPermission(spec, call.principal);
  beforeReplay?.(call.principal, call.bodyIfJson());
}

function metadata<T>(context: ExecutionContext, name: string): T | undefined {
  return (Reflect.getMetadata(name, context.getHandler()) ??
    Reflect.getMetadata(name, context.getClass())) as T | undefined;
}

/** What the account may do comes before what the key may: no scope opens sub-accounts to a sub-account. */
function checkPermission(spec: OperationSpec, principal: Principal): void {
  const { platform_partner: partner, parent_account_id: parent } = principal.account;
  if (spec.partnersOnly && (!partner || parent !== null)) throw ApiErrors.subAccountsOff();
  const rule = spec.scope;
  if (rule.kind === 'static' && !rule.scopes.every((scope) => hasStaticScope(principal, scope))) {
    throw ApiErrors.missingScope();
  }
  if (rule.kind === 'family' && !hasAnyOfFamily(principal, rule.family)) throw refuseFamily(rule.family);
}

/** `smtp-credentials:read` reads "to read smtp credentials". */
function refuseFamily(family: ScopeFamily): ApiError {
  const [what = '', action = 'read'] = family.split(':');
  return ApiErrors.missingDomainScope(action as 'read' | 'write' | 'delete', what.replaceAll('-', ' '));
}
