import type { ClaimRequest } from './idempotency.types.js';
import type { Reservation } from './key-register.js';

/**
 * The other services. A key belongs to an account, whatever the operation (spec 1-platform §4.2 rule 1), and
 * each service keeps the keys of its operations beside their effects. One of them keeps the register of all:
 * the others enter their runs there before they begin.
 */
export interface Elsewhere {
  /**
   * At every service but the one that keeps the register.
   * @returns false when another service holds the key
   * @throws Transient when the register cannot be asked
   */
  reserve?(reservation: Omit<Reservation, 'home'>): Promise<boolean>;
  /** @throws Transient when the service cannot be asked */
  isHeld(home: string, request: Pick<ClaimRequest, 'accountId' | 'key'>): Promise<boolean>;
}
