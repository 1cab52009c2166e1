import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { Internal, query } from '@postmesh/service-host';
import { RELAY_GROUP } from '../mx/group-key.rules.js';
import { MxResolver } from '../mx/mx-resolver.js';
import { DEFAULT_PROVIDER, type Providers } from '../shaping/providers.table.js';
import { SHAPING_PROVIDERS } from '../shaping/read-providers.js';
import { Ways } from '../ways/ways.js';
import { ExplainGroup } from './explain-group.js';

/** A provider with a group per site has many. */
const MAX_GROUPS = 20;

const Asked = z.object({ account_id: z.uuid().optional() });

/** Why mail to a provider or a domain is not faster. */
@Internal()
@Controller('operator/explanations')
export class ExplainController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mx: MxResolver,
    private readonly explainGroup: ExplainGroup,
    @Inject(SHAPING_PROVIDERS) private readonly providers: Providers,
    private readonly ways: Ways,
  ) {}

  /** @param name id of a provider, `relay`, or a domain */
  @Get(':name')
  async explain(
    @Param('name') name: string,
    @Query(query(Asked)) { account_id }: z.infer<typeof Asked>,
  ): Promise<object> {
    const { groups, notice } = await this.groupsOf(name.toLowerCase());
    const explained = await Promise.all(groups.map((group) => this.explainGroup.execute(group, account_id)));
    return { of: name.toLowerCase(), ...(notice === undefined ? {} : { notice }), groups: explained };
  }

  private async groupsOf(name: string): Promise<{ groups: readonly string[]; notice?: string }> {
    if (this.ways.areOnlyRelays) {
      return { groups: [RELAY_GROUP], notice: 'all mail leaves through the relay, wherever it goes' };
    }
    if (name.includes('.')) {
      const found = await this.mx.resolve(name);
      return found.kind === 'route' ? { groups: [found.groupKey] } : { groups: [], notice: found.response };
    }
    const provider = this.providers.get(name);
    if (provider === undefined || name === DEFAULT_PROVIDER) throw ApiErrors.notFound('provider');
    if (provider.connections.per === 'provider') return { groups: [`p:${name}`] };
    const rows: { group_key: string }[] = await this.dataSource.query(SITES, [`p:${name}:`]);
    const notice = rows.length === 0 ? 'no mail waits for a site of it, and none was slowed down' : undefined;
    return { groups: rows.map((row) => row.group_key), ...(notice === undefined ? {} : { notice }) };
  }
}

// The sites with the most mail, then those whose limits changed last.
const SITES = `
  select group_key from (
    (select group_key, count(*) as messages, null::timestamptz as changed_at from
      (select group_key from deliveries where starts_with(group_key, $1) and state in ('ready', 'waiting', 'leased')
        limit 500000) as counted group by group_key order by count(*) desc limit ${MAX_GROUPS})
    union all (select group_key, 0, changed_at from shaping_state where starts_with(group_key, $1)
      order by changed_at desc limit ${MAX_GROUPS})) as found
  group by group_key order by max(messages) desc, max(changed_at) desc limit ${MAX_GROUPS}`;
