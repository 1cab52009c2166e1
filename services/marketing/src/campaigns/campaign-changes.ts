import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Permits } from '@postmesh/concurrency';
import { ApiErrors, Transient, type AccountId, type Principal } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import type { Campaign } from './campaign.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { Prefetch, MissingInput } from './prefetch.js';

/** A campaign of the account for which a principal of it, or an operator, acts. */
export interface CampaignOfAccount {
  principal: Pick<Principal, 'account_id'>;
  id: string;
}

export interface CampaignRef extends CampaignOfAccount {
  principal: Principal;
}

export interface CampaignChange<D, R> {
  /** The decision about the campaign. It only reads, and may run again. @throws ApiError when no change is possible */
  decide(manager: EntityManager, campaign: Campaign, prefetch: Prefetch): Promise<D>;
  /** Writes the decision about this state, in the same transaction. */
  apply(tx: EntityManager, campaign: Campaign, decision: D): Promise<R>;
}

/** Per account, in this process: its waiting changes do not occupy the connections of others. */
const CHANGES_AT_ONCE = 2;
// A decision misses a design, a text and two domains at most; more rounds come from other changes in between.
const ROUNDS = 12;

/**
 * Every change of a campaign by a request waits for the others and is based on the newest state (spec 3-marketing §3.2
 * U17). Slow inputs, such as a compiled design, are fetched without a lock: a first decision, about the state read
 * without a lock, determines these inputs.
 */
@Injectable()
export class CampaignChanges {
  private readonly permits = new Permits<AccountId>(CHANGES_AT_ONCE);

  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
  ) {}

  /** @throws ApiError 401, 404 or of the decision; Transient when other changes take longer than `lockWaitMs` */
  async change<D, R>(
    ref: CampaignOfAccount,
    change: CampaignChange<D, R>,
    remember: Remember<R> = forgetResult,
  ): Promise<R> {
    const prefetch = new Prefetch();
    for (let round = 0; round < ROUNDS; round += 1) {
      try {
        await this.look(ref, change, prefetch);
        return await this.inLine(ref, (waitMs) => this.make(ref, { change, prefetch, remember, waitMs }));
      } catch (error) {
        if (!(error instanceof MissingInput)) throw error;
        await error.fetch();
      }
    }
    throw new Transient(`campaign ${ref.id} is changed by others again and again`);
  }

  private async look<D>(
    { principal, id }: CampaignOfAccount,
    change: Pick<CampaignChange<D, unknown>, 'decide'>,
    prefetch: Prefetch,
  ): Promise<void> {
    const { manager } = this.dataSource;
    const seen = await this.campaigns.find(manager, principal.account_id, id);
    if (!seen) throw ApiErrors.notFound('campaign');
    await change.decide(manager, seen, prefetch);
  }

  private make<D, R>(
    { principal, id }: CampaignOfAccount,
    work: { change: CampaignChange<D, R>; prefetch: Prefetch; remember: Remember<R>; waitMs: number },
  ): Promise<R> {
    const accountId = principal.account_id;
    const { change, prefetch, remember, waitMs } = work;
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const campaign = await this.campaigns.lock(tx, { accountId, id }, waitMs);
      if (!campaign) throw ApiErrors.notFound('campaign');
      const decision = await change.decide(tx, campaign, prefetch);
      const result = await change.apply(tx, campaign, decision);
      await remember(tx, result);
      return result;
    });
  }

  /** @param work gets the remaining time to wait */
  private async inLine<R>(
    { principal }: CampaignOfAccount,
    work: (waitMs: number) => Promise<R>,
  ): Promise<R> {
    const { lockWaitMs } = this.campaigns;
    const until = performance.now() + lockWaitMs;
    const waiting = new AbortController();
    const timer = setTimeout(
      () => waiting.abort(new Transient('other changes of campaigns take too long')),
      lockWaitMs,
    );
    try {
      await this.permits.acquire(principal.account_id, waiting.signal);
    } finally {
      clearTimeout(timer);
    }
    try {
      return await work(until - performance.now());
    } finally {
      this.permits.release(principal.account_id);
    }
  }
}
