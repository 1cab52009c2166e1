import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { DataSource } from 'typeorm';
import {
  TLS_POLICY_TYPES,
  TLS_SESSIONS_PAGE,
  type TlsDomainSessions,
  type TlsPolicyType,
  type TlsSessionsPage,
} from '@postmesh/delivery-worker-contract';
import { Internal, query } from '@postmesh/service-host';

const MAX_FAILURES = 200;

const Asked = z.object({ day: z.iso.date(), after: z.string().default('') });

interface Row {
  policy_domain: string;
  policy_type: TlsPolicyType;
  result: string;
  mx_host: string;
  policy_text: string[];
  sessions: number;
}

/** Counted sessions, for the service that reports them. */
@Internal()
@Controller('internal/tls-sessions')
export class TlsSessionsController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async read(@Query(query(Asked)) { day, after }: z.infer<typeof Asked>): Promise<TlsSessionsPage> {
    const rows: Row[] = await this.dataSource.query(READ, [day, after, TLS_SESSIONS_PAGE, MAX_FAILURES]);
    const byDomain = new Map<string, Row[]>();
    for (const row of rows) {
      const known = byDomain.get(row.policy_domain);
      if (known) known.push(row);
      else byDomain.set(row.policy_domain, [row]);
    }
    return {
      domains: [...byDomain].map(([policy_domain, of]) => ({ policy_domain, policies: policiesOf(of) })),
    };
  }
}

const policiesOf = (rows: readonly Row[]): TlsDomainSessions['policies'] =>
  TLS_POLICY_TYPES.flatMap((type) => {
    const of = rows.filter(({ policy_type }) => policy_type === type);
    const failed = of.filter(({ result }) => result !== 'success');
    if (of.length === 0) return [];
    return {
      type,
      text: of[0]?.policy_text ?? [],
      succeeded: sum(of) - sum(failed),
      failed: sum(failed),
      failures: failed.map(({ result, mx_host, sessions }) => ({ result, mx_host, sessions })),
    };
  });

const sum = (rows: readonly Row[]): number => rows.reduce((total, { sessions }) => total + sessions, 0);

// a domain whose hosts have ever new names fills no page with them
const READ = `
  select policy_domain, policy_type, result, mx_host, policy_text, sessions::float8 as sessions
  from (select distinct policy_domain from tls_sessions where day = $1 and policy_domain > $2
        order by policy_domain limit $3) as domain
  cross join lateral (
    select policy_type, result, mx_host, policy_text, sessions from tls_sessions s
    where s.day = $1 and s.policy_domain = domain.policy_domain
    order by result = 'success' desc, sessions desc, mx_host limit $4) as counted
  order by policy_domain, sessions desc, mx_host`;
