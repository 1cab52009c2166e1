import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiErrors, type OperationId, type Principal } from '@postmesh/contracts';
import { SERVICE_TOKEN_HEADER, type PrincipalVerifier, type ServiceTokens } from '@postmesh/http';
import { ApiCall, CALL, header, type OperationRequest } from './api-call.js';
import { INTERNAL, metadata, OPERATION } from './operation.decorator.js';
import { arrivedAt } from './request-bodies.js';
import type { Idempotency } from '../idempotency/idempotency.js';

export interface OperationPorts {
  principals: PrincipalVerifier;
  tokens: ServiceTokens;
  /** undefined for services without a database */
  idempotency: Idempotency | undefined;
}

/**
 * Authenticates the caller: by the gateway's principal for an operation, by a service token for an internal route;
 * nothing else is trusted (architecture §3.1).
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly ports: OperationPorts) {}

  canActivate(context: ExecutionContext): true {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest & Pick<OperationRequest, typeof CALL>>();
    if (metadata<OperationId>(context, OPERATION) !== undefined) {
      request[CALL] = new ApiCall(this.requirePrincipal(request), request, this.ports.idempotency);
    } else if (metadata<boolean>(context, INTERNAL)) {
      this.requireService(request);
    }
    return true;
  }

  /** @throws ApiError 401 for a missing or forged principal, and for one of another account than the path's */
  private requirePrincipal(request: FastifyRequest): Principal {
    const principal = this.ports.principals.verify(header(request, 'x-principal'), arrivedAt(request));
    if (!principal) throw ApiErrors.invalidKey();
    requireAccount(principal, request.params);
    return principal;
  }

  /** @throws ApiError 404, so that outsiders cannot learn which internal routes exist */
  private requireService(request: FastifyRequest): void {
    if (this.ports.tokens.verify(header(request, SERVICE_TOKEN_HEADER), arrivedAt(request)) === undefined)
      throw ApiErrors.unknownPath();
  }
}

/** @throws ApiError 401 for the principal of another account than the path's */
export function requireAccount(principal: Principal, params: unknown): void {
  const account = (params as { account_id?: string }).account_id;
  if (account !== undefined && account.toLowerCase() !== principal.account_id) throw ApiErrors.invalidKey();
}
