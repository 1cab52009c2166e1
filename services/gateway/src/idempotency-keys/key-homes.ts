import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { HeldKeyAnswer, Refusals, type AccountId, type ServiceName } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import type { RoutedOperation } from '../http-api/operation-router.js';

// Some 15 MB. When there are more, those that were used first are forgotten first.
const MOST_KEYS = 100_000;
const LONGEST_KEY = 255;

/**
 * Knows which service an idempotency key went to. Each service keeps its keys beside their effects and sees a
 * key that comes back with another request (spec 1-platform §4.3); a key that comes back for an operation of
 * another service is seen here. Forgetting is allowed: such a key then works once more, as one of a day ago.
 */
@Injectable()
export class KeyHomes {
  private readonly homes = new Map<string, ServiceName>();

  constructor(private readonly client: InternalClient) {}

  /**
   * @param header `Idempotency-Key` as it came
   * @throws ApiError 422 when another service still holds the key; Transient when it cannot be asked
   */
  async claim(operation: RoutedOperation, accountId: AccountId, header: string | undefined): Promise<void> {
    const key = operation.idempotent === false ? '' : (header?.trim() ?? '');
    if (key === '' || key.length > LONGEST_KEY) return;
    const name = hash('sha256', `${accountId}/${key}`, 'base64');
    const home = this.homes.get(name);
    if (home === operation.service) return;
    if (home !== undefined && (await this.isHeld(home, accountId, key))) throw Refusals.idempotencyMismatch();
    this.remember(name, operation.service);
  }

  get size(): number {
    return this.homes.size;
  }

  private async isHeld(service: ServiceName, accountId: AccountId, key: string): Promise<boolean> {
    const body = { account_id: accountId, key };
    const request = { method: 'POST' as const, path: '/internal/idempotency-keys/held', body };
    return (await this.client.request(service, request, HeldKeyAnswer))?.held ?? false;
  }

  private remember(name: string, service: ServiceName): void {
    const oldest = this.homes.size >= MOST_KEYS ? this.homes.keys().next().value : undefined;
    if (oldest !== undefined) this.homes.delete(oldest);
    // set anew, a key that changed its home is the youngest
    this.homes.delete(name);
    this.homes.set(name, service);
  }
}
