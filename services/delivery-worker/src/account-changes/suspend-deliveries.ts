import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { SUSPENDING_STATES, SUSPENSION_REASONS } from '../account-states/account-states.rules.js';
import { APPLIED, EXPIRE, RESUME, SUSPEND, SUSPEND_ANEW, TO_APPLY } from './suspension.sql.js';

const BATCH = 1_000;
const MAX_ACCOUNTS = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Lets the queue follow the states of accounts, in bounded steps of any backlog (spec 1-platform §10.4 rules 4 and 5).
 * A delivery that is claimed between two steps is stopped by the attempt, which checks the state of each account.
 */
@Injectable()
export class SuspendDeliveries implements BeforeApplicationShutdown {
  private readonly following = new DebouncedTask(
    (signal) => this.follow(signal),
    (error) =>
      this.logger.warn(
        { event: 'account_states.follow_failed', err: error },
        'applying account states to the queue failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly deliveries: DeliveryQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.following.stop();
  }

  /** The state of an account changed: begins now. Failures are left to the next periodic run. */
  trigger(): void {
    this.following.trigger();
  }

  /** Resolves when everything that was triggered until now has been tried. */
  settled(): Promise<void> {
    return this.following.settled();
  }

  // Finds expired suspensions, and deliveries that were suspended at the moment in which their account was resumed.
  @Periodic({ name: 'follow-account-states', everyMs: 10_000, timeoutMs: 600_000 })
  async follow(signal: AbortSignal): Promise<void> {
    await this.applyAll(signal);
    await this.inBatches(signal, EXPIRE, [BATCH, this.settings.deliveryWindowSeconds]);
    await this.inBatches(signal, RESUME, [BATCH]);
  }

  private async applyAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const accounts: { account_id: string; revision: string }[] = await this.dataSource.query(TO_APPLY, [
        MAX_ACCOUNTS,
      ]);
      if (accounts.length === 0) return;
      const ids = accounts.map(({ account_id }) => account_id);
      if (!(await this.applyTo(ids, signal))) return;
      await this.dataSource.query(APPLIED, [ids, accounts.map(({ revision }) => revision)]);
      this.logger.info(
        { event: 'account_states.followed', accounts: ids.length },
        'account states applied to the queue',
      );
    }
  }

  /** @returns false when it was ended early */
  private async applyTo(accountIds: string[], signal: AbortSignal): Promise<boolean> {
    const { deliveryWindowSeconds } = this.settings;
    const parameters = [accountIds, BATCH, SUSPENDING_STATES, SUSPENSION_REASONS, deliveryWindowSeconds];
    for (let changed = BATCH; changed > 0;) {
      if (signal.aborted) return false;
      const rows: { changed: number }[] = await this.dataSource.query(SUSPEND, parameters);
      changed = rows[0]?.changed ?? 0;
    }
    for (const id of accountIds) if (!(await this.suspendAnew(id, signal))) return false;
    return true;
  }

  /** @returns false when it was ended early */
  private async suspendAnew(accountId: string, signal: AbortSignal): Promise<boolean> {
    const { deliveryWindowSeconds } = this.settings;
    const parameters = [accountId, BATCH, SUSPENDING_STATES, SUSPENSION_REASONS, deliveryWindowSeconds];
    for (let after: string | undefined = FIRST_ID; after !== undefined;) {
      if (signal.aborted) return false;
      const rows: { id: string }[] = await this.dataSource.query(SUSPEND_ANEW, [...parameters, after]);
      after = rows[0]?.id;
    }
    return true;
  }

  private async inBatches(signal: AbortSignal, statement: string, parameters: unknown[]): Promise<void> {
    for (let changed = BATCH; changed === BATCH && !signal.aborted;) {
      changed = await changedRows(this.dataSource, statement, parameters);
      if (changed > 0) this.deliveries.queue.wake();
    }
  }
}
