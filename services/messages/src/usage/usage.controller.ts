import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import {
  ActivityRequest,
  ApiError,
  ApiErrors,
  Uuid,
  type Activity,
  type FamilyUsage,
} from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';

const Period = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

/** What the accounts service asks for its reports of sub-accounts (spec 1-platform §10.2, §10.5). */
@Internal()
@Controller('internal/accounts')
export class UsageController {
  constructor(private readonly dataSource: DataSource) {}

  @Get(':account_id/usage')
  async family(@Param('account_id') account: string, @Query('period') period: unknown): Promise<FamilyUsage> {
    const id = Uuid.safeParse(account);
    if (!id.success) throw ApiErrors.invalidParameter('account_id');
    const month = Period.safeParse(period);
    if (!month.success) throw ApiErrors.invalidParameter('period');
    const rows: { account_id: string; accepted: string }[] = await this.dataSource.query(
      `select account_id, sum(accepted) as accepted from usage
       where (family_id = $1 or account_id = $1) and period = $2 and not whole_family group by account_id order by account_id`,
      [id.data, month.data],
    );
    return {
      usage: rows.map((row) => ({ account_id: row.account_id, reception_count: Number(row.accepted) })),
    };
  }

  @Post('activity')
  @HttpCode(200)
  async activity(@Body() body: unknown): Promise<Activity> {
    const asked = ActivityRequest.safeParse(readJson(body));
    if (!asked.success) throw new ApiError(400, z.prettifyError(asked.error));
    const rows: { account_id: string; at: Date }[] = await this.dataSource.query(
      `select account_id, max(last_accepted_at) as at from usage
       where account_id = any($1::uuid[]) and not whole_family group by account_id`,
      [asked.data.account_ids],
    );
    return {
      activity: rows.map((row) => ({ account_id: row.account_id, last_accepted_at: row.at.toISOString() })),
    };
  }
}

function readJson(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) ? body.toString() : '');
  } catch {
    throw ApiErrors.invalidBody();
  }
}
