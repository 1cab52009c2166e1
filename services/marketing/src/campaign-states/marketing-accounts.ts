import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { isPresent } from '../account-changes/deleted-accounts.js';
import { DailyLimit } from '../sending/daily-limit.js';

/** The operator's limits of an account (spec 3-marketing §4.4, §6 rule 4). */
export interface MarketingAccount {
  readonly account_id: string;
  /** in force; null = no limit, 0 = off */
  readonly daily_limit: number | null;
  /** false: the limit of the settings applies */
  readonly has_daily_limit: boolean;
  readonly review_every_campaign: boolean;
  /** handed over on this UTC day */
  readonly used_today: number;
}

export interface MarketingAccountChange {
  /** left out: unchanged; `default`: the limit of the settings */
  readonly daily_limit?: number | null | 'default' | undefined;
  readonly review_every_campaign?: boolean | undefined;
}

const READ = `select has_daily_limit, review_every_campaign,
    coalesce((select used from marketing_days d where d.account_id = $1 and day = (now() at time zone 'utc')::date), 0)
      as used_today
  from (select $1::uuid as account_id) given left join marketing_limits using (account_id)`;

const WRITE = `insert into marketing_limits as m (account_id, daily_limit, has_daily_limit, review_every_campaign)
  values ($1, case when $2 then $4::int end, coalesce($2 and $3, false), coalesce($5, false))
  on conflict (account_id) do update set
    daily_limit = case when $2 then $4::int else m.daily_limit end,
    has_daily_limit = case when $2 then $3 else m.has_daily_limit end,
    review_every_campaign = coalesce($5, m.review_every_campaign)`;

// Campaigns that wait for a new day are checked for a free limit now.
const RAISE = `update campaigns set due_at = now()
  where account_id = $1 and status = 'paused' and pause_cause = 'daily_limit'`;

interface Row {
  has_daily_limit: boolean | null;
  review_every_campaign: boolean | null;
  used_today: number;
}

/** Marketing limits of accounts, for operators. */
@Injectable()
export class MarketingAccounts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limit: DailyLimit,
    private readonly accounts: AccountDirectory,
  ) {}

  /** @throws ApiError 404; Transient when the accounts service is unavailable */
  async find(accountId: AccountId): Promise<MarketingAccount> {
    if (!(await this.accounts.current(accountId))) throw ApiErrors.notFound('account');
    return this.read(accountId);
  }

  /** @throws ApiError 404; Transient when the accounts service is unavailable */
  async change(accountId: AccountId, change: MarketingAccountChange): Promise<MarketingAccount> {
    const { daily_limit: limit, review_every_campaign: review } = change;
    const hasOwn = limit !== 'default';
    if (!(await this.accounts.current(accountId))) throw ApiErrors.notFound('account');
    await this.dataSource.transaction(async (tx) => {
      // a row written for an account during its deletion would stay for ever
      if (!(await isPresent(tx, accountId))) throw ApiErrors.notFound('account');
      const given = [limit !== undefined, hasOwn, hasOwn ? (limit ?? null) : null, review ?? null];
      await tx.query(WRITE, [accountId, ...given]);
      await tx.query(RAISE, [accountId]);
    });
    return this.read(accountId);
  }

  private async read(accountId: AccountId): Promise<MarketingAccount> {
    const [row]: Row[] = await this.dataSource.query(READ, [accountId]);
    return {
      account_id: accountId,
      daily_limit: await this.limit.of(this.dataSource, accountId),
      has_daily_limit: row?.has_daily_limit ?? false,
      review_every_campaign: row?.review_every_campaign ?? false,
      used_today: row?.used_today ?? 0,
    };
  }
}
