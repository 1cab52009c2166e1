import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { ActivityRequest, type Activity, type FamilyUsage } from '@postmesh/messages-contract';
import type { AccountId } from '@postmesh/contracts';
import { body, Internal, query, uuidParam } from '@postmesh/service-host';

const UsageQuery = z.object({ period: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/) });
type UsageQuery = z.infer<typeof UsageQuery>;
type ActivityInput = z.infer<typeof ActivityRequest>;

/** Usage for the accounts service's reports of sub-accounts (spec 1-platform §10.2, §10.5). */
@Internal()
@Controller('internal/accounts')
export class UsageController {
  constructor(private readonly dataSource: DataSource) {}

  @Get(':account_id/usage')
  async family(
    @uuidParam('account_id') id: AccountId,
    @Query(query(UsageQuery)) { period }: UsageQuery,
  ): Promise<FamilyUsage> {
    const rows: { account_id: string; accepted: string }[] = await this.dataSource.query(
      `select account_id, sum(accepted) as accepted from usage
       where (family_id = $1 or account_id = $1) and period = $2 and not whole_family group by account_id order by account_id`,
      [id, period],
    );
    return {
      usage: rows.map((row) => ({ account_id: row.account_id, reception_count: Number(row.accepted) })),
    };
  }

  @Post('activity')
  @HttpCode(200)
  async activity(@Body(body(ActivityRequest)) input: ActivityInput): Promise<Activity> {
    const rows: { account_id: string; at: Date }[] = await this.dataSource.query(
      `select account_id, max(last_accepted_at) as at from usage
       where account_id = any($1::uuid[]) and not whole_family group by account_id`,
      [input.account_ids],
    );
    return {
      activity: rows.map((row) => ({ account_id: row.account_id, last_accepted_at: row.at.toISOString() })),
    };
  }
}
