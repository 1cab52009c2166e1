import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { RecentChangesQuery, type AccountId, type RecentChanges } from '@postmesh/contracts';
import { Internal, query, readRecentChanges, uuidParam } from '@postmesh/service-host';
import { ENDPOINT_KINDS } from '../endpoints/endpoint-kinds.js';

/** Webhooks and routes that were changed or called lately, for open pages of the console. */
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

const MAX = 200;

const CHANGED = ENDPOINT_KINDS.map(
  ({ name, table }) => `(select '${name}' as kind, id, case when not enabled then 'disabled'
      when errors_since_last_success > 0 then 'failing' else 'enabled' end as state,
      greatest(updated_at, last_request_at) as at
    from ${table} where account_id = $1 and greatest(updated_at, last_request_at) > $2 limit ${MAX})`,
).join(' union all ');
