import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { pause } from '@postmesh/concurrency';
import { AccountStatesPage } from '@postmesh/accounts-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { AccountStates } from './account-states.js';

const RETRY_MS = 500;
// Longer than a start of all services together. Mail must not wait without end for a service that is unavailable.
const MAX_WAIT_MS = 60_000;
const MAX_PAGES = 10_000;

/**
 * Queries, before the first claim, which accounts may not send: changes from the time when this service was down may
 * still be in flight as events, while their mail is due already. The claim reads the states that are recorded here; the
 * queue follows as it does after an event (SuspendDeliveries).
 */
@Injectable()
export class StatesAtStart {
  constructor(
    private readonly dataSource: DataSource,
    private readonly states: AccountStates,
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Resolves when they are known; after a minute at the latest, with those known from before. */
  async learn(stopping: AbortSignal): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    while (!stopping.aborted) {
      try {
        await this.learnAll();
        return;
      } catch (error) {
        if (performance.now() >= until) {
          this.logger.error(
            { event: 'account_states.unknown', err: error },
            'account states unknown, delivering with older ones',
          );
          return;
        }
      }
      await pause(RETRY_MS, stopping);
    }
  }

  private async learnAll(): Promise<void> {
    let after: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { accounts, next } = await this.ask(after);
      if (accounts.length > 0) await this.states.learn(this.dataSource.manager, accounts);
      after = next;
      if (after === null) break;
    }
  }

  private async ask(after: string | null): Promise<AccountStatesPage> {
    const path = `/internal/account-states${after === null ? '' : `?after=${after}`}`;
    const page = await this.client.request('accounts', { method: 'GET', path }, AccountStatesPage);
    if (!page) throw new Transient('the accounts service has no account states');
    return page;
  }
}
