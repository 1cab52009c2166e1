import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import {
  attachedCall,
  SERVICE_TOKEN_HEADER,
  type PrincipalVerifier,
  type ServiceTokens,
} from '@postmesh/http';
import { ApiCall, CALL, header, type OperationRequest } from './api-call.js';
import { isInternal, operationOf } from './operation.decorator.js';
import { arrivedAt } from './request-bodies.js';
import type { Idempotency } from '../idempotency/idempotency.js';

export interface OperationPorts {
  principals: PrincipalVerifier;
  tokens: ServiceTokens;
  /** undefined for services without a database */
  idempotency: Idempotency | undefined;
}

/**
 * Authenticates the caller: by the gateway's principal for an operation, attached in the same process and signed over
 * HTTP, by a service token for an internal route; nothing else is trusted (architecture §3.1).
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly ports: OperationPorts) {}

  canActivate(context: ExecutionContext): true {
    if (context.getType() !== 'http') return true;
    const request = context.getArgByIndex<OperationRequest>(0);
    const operation = operationOf(context);
    if (operation) {
      const principal = this.requirePrincipal(request);
      if (operation.forMembers && !principal.member) throw ApiErrors.noSession();
      request[CALL] = new ApiCall(operation, principal, request, this.ports.idempotency);
    } else if (isInternal(context)) {
      this.requireService(request);
    }
    return true;
  }

  /** @throws ApiError 401 for a missing or forged principal, and for one of another account than the path's */
  private requirePrincipal(request: FastifyRequest): Principal {
    const principal =
      attachedCall(request.raw)?.principal ??
      this.ports.principals.verify(header(request, 'x-principal'), arrivedAt(request));
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
function requireAccount(principal: Principal, params: unknown): void {
  const account = (params as { account_id?: string }).account_id;
  if (account !== undefined && account.toLowerCase() !== principal.account_id) throw ApiErrors.invalidKey();
}
