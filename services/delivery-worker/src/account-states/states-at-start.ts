import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountStatesPage, Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { AccountStates } from './account-states.js';

const TRY_AGAIN_MS = 500;
// Longer than a start of everything together takes. Mail must not wait for ever for a service that is away.
const LONGEST_WAIT_MS = 60_000;
const MOST_PAGES = 10_000;

/**
 * Asks, before the first claim, which accounts may not send: what happened to them while this service was down may
 * still be on its way as an event, and their mail is due already. The claim looks at what is learnt here; the queue
 * follows as it does after an event (HeldDeliveries).
 */
@Injectable()
export class StatesAtStart {
  constructor(
    private readonly dataSource: DataSource,
    private readonly states: AccountStates,
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Resolves when they are known; at the latest after a minute, with those known from before.
   * @param wait rests between two tries
   */
  async learn(wait: (ms: number) => Promise<void>, isStopping: () => boolean): Promise<void> {
    const until = Date.now() + LONGEST_WAIT_MS;
    while (!isStopping()) {
      try {
        await this.learnAll();
        return;
      } catch (error) {
        if (Date.now() >= until) {
          this.logger.error({ err: error }, 'account states cannot be asked; delivering by those known');
          return;
        }
      }
      await wait(TRY_AGAIN_MS);
    }
  }

  private async learnAll(): Promise<void> {
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { accounts, next } = await this.ask(after);
      if (accounts.length > 0) await this.states.learn(this.dataSource.manager, accounts);
      after = next;
      if (after === null) break;
    }
  }

  private async ask(after: string | null): Promise<AccountStatesPage> {
    const path = `/internal/account-states${after === null ? '' : `?after=${after}`}`;
    const page = await this.client.request('accounts', { method: 'GET', path }, AccountStatesPage);
    if (!page) throw new Transient('the accounts service does not know how to tell account states');
    return page;
  }
}
