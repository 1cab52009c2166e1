import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, needsConfirmation, Uuid, type OperationSpec } from '@postmesh/contracts';
import type { ActiveKey } from '../api-keys/key-cache.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import { Callers } from './callers.js';
import type { Exchange } from './exchange.js';
import type { RoutedOperation } from './operation-router.js';

/** Lets the caller of a request in: steps 3 to 7 of spec 1-platform §1.5. */
@Injectable()
export class Admission {
  constructor(
    private readonly callers: Callers,
    private readonly limits: RateLimits,
  ) {}

  /** The caller as it is now. @throws ApiError 401, 429; Transient when the look-up fails */
  caller(exchange: Exchange): Promise<ActiveKey> {
    return this.callers.find(exchange);
  }

  /** @throws ApiError 401, 403, 429; Transient when the look-up fails */
  async admit(exchange: Exchange, operation: RoutedOperation): Promise<ActiveKey> {
    const key = await this.authenticate(exchange, operation);
    requireConfirmed(operation, key);
    await this.enter(key, operation.rate);
    return key;
  }

  /** Step 7: a request of this caller counts. @throws ApiError 429 */
  async enter(key: ActiveKey, rate: OperationSpec['rate'] = 'general'): Promise<void> {
    this.callers.used(key);
    await this.limits.request(key, rate);
  }

  /**
   * A check of a signature, which counts as a failed authentication when it throws 401.
   * @throws ApiError 401, 429
   */
  async prove(exchange: Exchange, check: () => void): Promise<void> {
    try {
      check();
    } catch (error) {
      // not the caller that it names
      exchange.key = undefined;
      if (error instanceof ApiError && error.status === 401)
        await this.limits.failures.failed(exchange.clientIp);
      throw error;
    }
  }

  /**
   * Steps 3 to 6: the key or the session, its IP allow list and its account.
   * @param operation undefined for a request in a dialect
   * @throws ApiError 401, 403, 429; Transient when the look-up fails
   */
  async authenticate(exchange: Exchange, operation?: RoutedOperation): Promise<ActiveKey> {
    try {
      const key = await this.callers.find(exchange);
      exchange.key = key;
      if (key.allowList.entries.length > 0 && !key.allowList.covers(exchange.clientIp)) {
        throw ApiErrors.ipNotAllowed();
      }
      if (operation?.underAccount) checkAccount(exchange.params['account_id'] ?? '', key);
      return key;
    } catch (error) {
      // §5 rule 5: after too many failures the response is a 429 instead
      if (error instanceof ApiError && error.status === 401 && !exchange.hasPaidFailure) {
        await this.limits.failures.failed(exchange.clientIp);
      }
      throw error;
    }
  }
}

/** A session whose member can confirm what it does. @throws ApiError 403 */
function requireConfirmed({ id }: RoutedOperation, { confirmedUntil, confirmedBy }: ActiveKey): void {
  if (confirmedUntil === undefined || confirmedUntil > Date.now()) return;
  if (needsConfirmation(id)) throw ApiErrors.confirmFirst(confirmedBy);
}

/** The account of a path is the caller's; a session that is in another one is no failed authentication. */
function checkAccount(text: string, { principal }: ActiveKey): void {
  if (text === principal.account_id) return;
  const account = Uuid.safeParse(text);
  if (!account.success) throw ApiErrors.invalidParameter('account_id');
  if (account.data === principal.account_id) return;
  throw principal.member ? ApiErrors.otherAccount() : ApiErrors.invalidKey();
}
