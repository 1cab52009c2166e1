import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { RecentChangesQuery, type AccountId, type RecentChanges } from '@postmesh/contracts';
import { Internal, query, readRecentChanges, uuidParam } from '@postmesh/service-host';

/** Recent changes of campaigns and imports, for open pages of the console; a campaign that is being sent changes all the time. */
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
  select 'campaign' as kind, id, status as state, case status when 'sending' then now() else updated_at end as at
  from (select id, status, updated_at from campaigns where account_id = $1
    order by created_at desc, id desc limit ${NEWEST}) as newest
  where updated_at > $2 or status = 'sending'
  union all
  select 'import', id, state, coalesce(finished_at, worked_at, created_at)
  from (select * from contact_imports where account_id = $1 order by created_at desc, id desc limit ${NEWEST}) as newest
  where coalesce(finished_at, worked_at, created_at) > $2`;
