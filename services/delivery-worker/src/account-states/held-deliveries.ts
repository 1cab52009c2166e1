import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RunOnWord, type Jobs } from '@postmesh/jobs';
import type { Logger } from '@postmesh/observability';
import { JOBS, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DeliveryLoop } from '../attempt/delivery-loop.js';
import { HOLDING_REASONS, HOLDING_STATES } from './account-states.rules.js';
import { APPLIED, APPLY_PAGE, EXPIRE, RESUME, TO_APPLY } from './held-statements.js';

// Finds what ran out, and what was held in the moment in which its account was resumed.
const EVERY_MS = 10_000;
const PAGE = 5_000;
const BATCH = 1_000;
const MOST_ACCOUNTS = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const FOLLOW = {
  queue: 'delivery-worker',
  name: 'follow-account-states',
  everyMs: EVERY_MS,
  timeoutMs: 600_000,
};

/**
 * Lets the queue follow the states of accounts, in bounded steps however much waits (spec 1-platform §10.4 rules 4
 * and 5). What slips through between two steps is met by the claim, which asks for the state of each account.
 */
@Injectable()
export class HeldDeliveries implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly following = new RunOnWord(
    (signal) => this.follow(signal),
    (error) => this.logger.warn({ err: error }, 'the queue follows account states later'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly loop: DeliveryLoop,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(FOLLOW, (signal) => this.follow(signal));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.following.end();
  }

  /** The state of an account changed: begin now. Trouble is left to the next look. */
  wake(): void {
    this.following.ask();
  }

  /** Resolves when what was asked for with `wake` until now has been tried. */
  settled(): Promise<void> {
    return this.following.settled();
  }

  async follow(signal: AbortSignal): Promise<void> {
    await this.applyAll(signal);
    const { deliveryWindowSeconds } = this.settings;
    await this.inBatches(signal, EXPIRE, [BATCH, deliveryWindowSeconds]);
    await this.inBatches(signal, RESUME, [BATCH]);
  }

  private async applyAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const accounts: { account_id: string; revision: string }[] = await this.dataSource.query(TO_APPLY, [
        MOST_ACCOUNTS,
      ]);
      if (accounts.length === 0) return;
      const ids = accounts.map(({ account_id }) => account_id);
      if (!(await this.applyTo(ids, signal))) return;
      await this.dataSource.query(APPLIED, [ids, accounts.map(({ revision }) => revision)]);
      this.logger.info({ accounts: ids.length }, 'the queue follows the states of accounts');
    }
  }

  /** @returns false when it was ended early */
  private async applyTo(accountIds: string[], signal: AbortSignal): Promise<boolean> {
    const { deliveryWindowSeconds } = this.settings;
    for (let after: string | null = FIRST_ID; after !== null;) {
      if (signal.aborted) return false;
      const parameters = [accountIds, after, PAGE, HOLDING_STATES, HOLDING_REASONS, deliveryWindowSeconds];
      const rows: { seen: number; last: string | null }[] = await this.dataSource.query(
        APPLY_PAGE,
        parameters,
      );
      after = rows[0]?.seen === PAGE ? rows[0].last : null;
    }
    return true;
  }

  private async inBatches(signal: AbortSignal, statement: string, parameters: unknown[]): Promise<void> {
    for (let changed = BATCH; changed === BATCH && !signal.aborted;) {
      const [, count]: [unknown, number] = await this.dataSource.query(statement, parameters);
      if (count > 0) this.loop.wake();
      changed = count;
    }
  }
}
