import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import {
  ApiError,
  apiResponse,
  domainScopes,
  hasAnyOfFamily,
  hasStaticScope,
  KEY_ENTRY_HEADER,
  KEY_HOLDER_HEADER,
  KeyHolder,
  operationSpec,
  ApiErrors,
  type ApiResponse,
  type OperationId,
  type OperationSpec,
  type Principal,
  type ScopeFamily,
} from '@postmesh/contracts';
import { traced, type Tracer } from '@postmesh/observability';
import { CALL, header, toStored, type ApiCall, type OperationRequest } from './api-call.js';
import { BEFORE_REPLAY, metadata, OPERATION, type OperationOptions } from './operation.decorator.js';
import { idempotencyKeyOf } from '../idempotency/idempotency.rules.js';
import type { Claim, ClaimRequest } from '../idempotency/claims.js';
import type { Idempotency } from '../idempotency/idempotency.js';

/** An operation and one authenticated call of it. */
export interface CalledOperation extends OperationOptions {
  id: OperationId;
  call: ApiCall;
  request: OperationRequest;
}

interface Served extends CalledOperation {
  spec: OperationSpec;
}

/**
 * Steps 9 and 10 of spec 1-platform §1.5, around every operation: idempotency, then scope. The scope check is no
 * guard, because guards run before all interceptors: a 403 belongs to the responses that are stored under the
 * idempotency key (§4.3 transition 2), so the key must be claimed before the scope is checked. Nest calls `intercept`;
 * the gateway of the same process calls `serve` (direct-operations.ts).
 */
@Injectable()
export class OperationInterceptor implements NestInterceptor {
  constructor(
    private readonly idempotency: Idempotency | undefined,
    private readonly tracer: Tracer,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<OperationRequest>();
    const call = request[CALL];
    if (!call) return next.handle();
    const id = metadata<OperationId>(context, OPERATION) as OperationId;
    const beforeReplay = metadata<OperationOptions['beforeReplay']>(context, BEFORE_REPLAY);
    const handle = () => lastValueFrom(next.handle()) as Promise<ApiResponse>;
    return from(this.serve({ id, beforeReplay, call, request }, handle));
  }

  /** @param handle reads the parameters of the method and runs it */
  serve(called: CalledOperation, handle: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const { id, call, request } = called;
    const span = this.tracer.follow(header(request, 'traceparent') || null, id, 'server');
    call.trace = span?.traceparent ?? null;
    const run = () => this.run({ ...called, spec: operationSpec(id) }, handle);
    return traced(span, run, ({ status }) => ({ 'http.response.status_code': status }));
  }

  private async run(served: Served, handle: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const { spec, call } = served;
    const replay = await this.claim(served);
    if (replay) return checkedReplay(served, replay);
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

  /** @returns the stored response when the request was served before */
  private async claim({ spec, call, request }: Served): Promise<ApiResponse | undefined> {
    const { idempotency } = this;
    if (spec.idempotent === false || !idempotency) return undefined;
    const key = idempotencyKeyOf(request.headers['idempotency-key']);
    if (key === undefined) return undefined;
    const path = request.url.split('?')[0] ?? '';
    const fingerprint = await idempotency.fingerprint(request.method, path, call.rawBody);
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

  /** A response without an effect: errors, and operations that have no transaction. */
  private async rememberAlone(call: ApiCall, given: ApiResponse): Promise<void> {
    if (call.run && !call.stored) await this.idempotency?.completeAlone(call.run, toStored(given));
  }

  /** An API error is stored like any response; after any other error the key is free for a retry at once. */
  private async settleFailure(call: ApiCall, error: unknown): Promise<void> {
    if (!call.run || !this.idempotency) return;
    if (error instanceof ApiError) {
      const apiError = apiResponse(error.status, { message: error.message });
      await this.idempotency.completeAlone(call.run, toStored(apiError));
    } else {
      await this.idempotency.release(call.run);
    }
  }
}

// Another service can take a key again that was freed; after this many rounds it counts as held.
const MAX_ROUNDS = 3;

/** Claims a key, also one that another service had according to the register, once that service has given it up. */
async function claimFreed(
  idempotency: Idempotency,
  request: OperationRequest,
  { accountId, key, fingerprint, mode }: Omit<ClaimRequest, 'entry'>,
): Promise<Claim> {
  const entry = header(request, KEY_ENTRY_HEADER) || undefined;
  for (let round = 1; ; round += 1) {
    const claim = await idempotency.claim({ accountId, key, fingerprint, mode, entry });
    if (claim.kind !== 'elsewhere' || !request.freeKey || round > MAX_ROUNDS) return claim;
    if (!(await request.freeKey(KeyHolder.parse(claim.holder)))) return { kind: 'mismatch' };
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
function checkedReplay({ spec, call, beforeReplay }: Served, replay: ApiResponse): ApiResponse {
  try {
    checkPermission(spec, call.principal);
    beforeReplay?.(call.principal, call.bodyIfJson(), replay);
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
function checkPermission(spec: OperationSpec, principal: Principal): void {
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
