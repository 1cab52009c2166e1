import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import {
  ApiError,
  apiResponse,
  domainScopes,
  hasAnyOfFamily,
  hasStaticScope,
  KEY_ENTRY_HEADER,
  KEY_HOLDER_HEADER,
  KeyHolder,
  REQUEST_DIGEST_HEADER,
  ApiErrors,
  type ApiResponse,
  type ScopeFamily,
} from '@postmesh/contracts';
import { attachedCall } from '@postmesh/http';
import type { Tracer } from '@postmesh/observability';
import { CALL, header, type ApiCall, type OperationRequest } from './api-call.js';
import { idempotencyKeyOf } from '../idempotency/idempotency.rules.js';
import type { Claim, ClaimRequest } from '../idempotency/claims.js';
import type { Idempotency } from '../idempotency/idempotency.js';

/** Ends a request with the response that an earlier one had (spec 1-platform §4.2). */
export class Replay {
  constructor(readonly response: ApiResponse) {}
}

/**
 * Steps 9 and 10 of spec 1-platform §1.5, before every operation: idempotency, then scope. A 403 belongs to the responses
 * that are stored under the idempotency key (§4.3 transition 2), so the guard claims the key before it checks
 * the scope. `ApiCall.settle` stores the response of the operation before it is sent.
 */
@Injectable()
export class OperationGuard implements CanActivate {
  constructor(
    private readonly idempotency: Idempotency | undefined,
    private readonly tracer: Tracer,
  ) {}

  /** @throws ApiError 403, 409 or 422; Replay */
  canActivate(context: ExecutionContext): true | Promise<true> {
    if (context.getType() !== 'http') return true;
    const request = context.getArgByIndex<OperationRequest>(0);
    const call = request[CALL];
    if (!call) return true;
    call.span = this.tracer.follow(header(request, 'traceparent') || null, call.operation.id, 'server');
    if (request.headers['idempotency-key'] !== undefined) return this.claim(call, request);
    checkPermission(call);
    return true;
  }

  private async claim(call: ApiCall, request: OperationRequest): Promise<true> {
    const replay = await this.replayOf(call, request);
    if (replay) throw new Replay(checkedReplay(call, replay));
    checkPermission(call);
    return true;
  }

  /** @returns the stored response when the request was served before */
  private async replayOf(call: ApiCall, request: OperationRequest): Promise<ApiResponse | undefined> {
    const { idempotency } = this;
    const { spec } = call.operation;
    if (spec.idempotent === false || !idempotency) return undefined;
    const key = idempotencyKeyOf(request.headers['idempotency-key']);
    if (key === undefined) return undefined;
    const path = request.url.split('?')[0] ?? '';
    const digest = header(request, REQUEST_DIGEST_HEADER);
    const fingerprint = await idempotency.fingerprint(request.method, path, call.rawBody, digest);
    const wanted = { accountId: call.accountId, key, fingerprint, mode: spec.idempotent };
    const claim = await claimFreed(idempotency, request, wanted);
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
      case 'elsewhere':
        throw elsewhere(claim.holder);
    }
  }
}

// Another service can take a key again that was freed; after this many rounds it counts as held.
const MAX_ROUNDS = 3;

/** Claims a key, also one that another service had according to the register, once that service has given it up. */
async function claimFreed(
  idempotency: Idempotency,
  request: OperationRequest,
  wanted: Omit<ClaimRequest, 'entry'>,
): Promise<Claim> {
  const entry = header(request, KEY_ENTRY_HEADER) || undefined;
  const freeKey = attachedCall(request.raw)?.freeKey;
  for (let round = 1; ; round += 1) {
    const claim = await idempotency.claim({ ...wanted, entry });
    if (claim.kind !== 'elsewhere' || !freeKey) return claim;
    const freed = round <= MAX_ROUNDS && (await freeKey(KeyHolder.parse(claim.holder)));
    if (!freed) return { kind: 'mismatch' };
  }
}

/** A gateway in another process asks the holder, and sends the request again when the key is free. */
const elsewhere = ({ home, entry }: Pick<KeyHolder, 'entry'> & { home: string }): ApiError => {
  const { status, message } = ApiErrors.idempotencyMismatch();
  return new ApiError(status, message, { [KEY_HOLDER_HEADER]: `${home} ${entry}` });
};

/**
 * A weak key must not fetch the response to a stronger key's request (spec 1-platform §4.3 rule 10). A stored 403 gives
 * nothing away, and the weak key gets it with the scopes that it lacks: only status and body are stored.
 */
function checkedReplay(call: ApiCall, replay: ApiResponse): ApiResponse {
  try {
    checkPermission(call);
    call.operation.beforeReplay?.(call.principal, call.bodyIfJson(), replay);
  } catch (error) {
    if (replay.status !== 403) throw error;
    return error instanceof ApiError && isSame(error, replay)
      ? { ...replay, headers: { ...error.headers, ...replay.headers } }
      : replay;
  }
  return replay;
}

const isSame = ({ status, message }: ApiError, replay: ApiResponse): boolean =>
  apiResponse(status, { message }).bytes.equals(replay.bytes);

/** The rights of the account are checked before those of the key: no scope opens sub-accounts to a sub-account. */
function checkPermission({ operation: { spec }, principal }: ApiCall): void {
  const { platform_partner: partner, parent_account_id: parent } = principal.account;
  if (spec.partnersOnly && (!partner || parent !== null)) throw ApiErrors.subAccountsOff();
  const rule = spec.scope;
  if (rule.kind === 'static' && !rule.scopes.every((scope) => hasStaticScope(principal, scope))) {
    throw ApiErrors.missingScope(rule.scopes);
  }
  if (rule.kind === 'family' && !hasAnyOfFamily(principal, rule.family)) throw refuseFamily(rule.family);
}

/** Families with the text of domains; messages are not among them (spec 1-platform §1.4 table 403). */
const refuseFamily = (family: ScopeFamily): ApiError =>
  family.startsWith('messages:')
    ? ApiErrors.missingScope(domainScopes(family))
    : ApiErrors.missingDomainScope(family);
