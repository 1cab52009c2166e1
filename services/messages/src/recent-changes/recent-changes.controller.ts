import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { RecentChangesQuery, type AccountId, type RecentChanges } from '@postmesh/contracts';
import { Internal, query, readRecentChanges, uuidParam } from '@postmesh/service-host';

/** Recent changes among the newest messages, for open pages of the console, which show these. */
@Internal()
@Controller('internal/accounts/:account_id/recent-changes')
export class RecentChangesController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  list(
    @uuidParam('account_id') accountId: AccountId,
    @Query(query(RecentChangesQuery)) { since }: z.infer<typeof RecentChangesQuery>,
  ): Promise<RecentChanges> {
    return readRecentChanges(this.dataSource, CHANGED, { accountId, since });
  }
}

const NEWEST = 100;

const CHANGED = `
  select 'message' as kind, id, case status when 'Inbound' then 'Received' else status end as state, updated_at as at
  from (select id, status, updated_at from messages where account_id = $1 and campaign_id is null
    order by created_at desc, id desc limit ${NEWEST}) as newest
  where updated_at > $2`;
