import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import { Transient, type AccountFacts, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { KnownAccounts } from './internal/accounts.js';

// A change of an account's settings is meant for new messages; a delay of half a minute is acceptable.
const REMEMBER_MS = 30_000;
// While the accounts service is unavailable, its last answer is better than sending mail back or stopping a campaign.
const MAX_ACCOUNTS = 10_000;

interface Known {
  facts: AccountFacts | null;
  readAt: number;
}

/** Facts of accounts for work that no request with a principal begins: inbound mail, batches of campaigns. */
@Injectable()
export class AccountDirectory {
  private readonly known = new LRUCache<AccountId, Known>({ max: MAX_ACCOUNTS });
  private readonly lookUps = new SingleFlight<AccountId, AccountFacts | undefined>();

  constructor(private readonly client: InternalClient) {}

  /**
   * @returns undefined for an account that was deleted
   * @throws Transient when they are unknown and the accounts service is unavailable
   */
  async find(id: AccountId): Promise<AccountFacts | undefined> {
    const known = this.known.get(id);
    if (known && performance.now() - known.readAt < REMEMBER_MS) return known.facts ?? undefined;
    try {
      return await this.lookUps.run(id, () => this.current(id));
    } catch (error) {
      if (known) return known.facts ?? undefined;
      throw error;
    }
  }

  /** The facts as the accounts service has them now. @throws Transient when it is unavailable */
  async current(id: AccountId): Promise<AccountFacts | undefined> {
    const request = { method: 'POST' as const, path: '/internal/account-facts', body: { account_ids: [id] } };
    const found = await this.client.request('accounts', request, KnownAccounts);
    if (!found) throw new Transient('the accounts service knows no account facts');
    const facts = found.accounts.find(({ account_id }) => account_id === id)?.account;
    this.known.set(id, { facts: facts ?? null, readAt: performance.now() });
    return facts;
  }
}
