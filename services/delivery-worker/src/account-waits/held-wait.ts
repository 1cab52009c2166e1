import type { AccountWait } from '@postmesh/delivery-worker-contract';

/** Mail of an account that waits for one reason. */
export interface HeldWait extends AccountWait {
  share: number;
  /** the arrival of the oldest message */
  oldest: Date;
}
