import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { UNNAMED } from '@postmesh/database';
import type { DoctorFigures, DomainFacts } from '@postmesh/domains-contract';
import { publicBaseUrl } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { CountersRepository } from '../statistics/counters.repository.js';
import { DAY_MS, HOUR_MS, startOf } from '../statistics/time-ranges.rules.js';

const DAYS = 30;
/** Messages of the account that are looked through for deliveries of the domain, the newest ones. */
const LOOKED_THROUGH = 2_000;
const MOST_SESSIONS = 500;

/** Figures of the mail of a domain, for its doctor. */
@Injectable()
export class DomainFigures {
  constructor(
    private readonly counters: CountersRepository,
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async of(accountId: AccountId, facts: DomainFacts): Promise<DoctorFigures> {
    const now = new Date();
    const to = new Date(startOf('hour', now).getTime() + HOUR_MS);
    const range = { from: new Date(to.getTime() - DAYS * DAY_MS), to };
    const [sums, sessions] = await Promise.all([
      this.counters.domainSums(accountId, facts.domain, range),
      this.sessions(accountId, facts.domain),
    ]);
    const links = publicBaseUrl(facts.subscription_host ?? null, this.settings);
    return {
      at: now.toISOString(),
      days: DAYS,
      delivered: sums.total.delivered + sums.campaigns.delivered,
      complained: sums.total.complained + sums.campaigns.complained,
      bulk: sums.campaigns.received,
      sessions,
      secure_links: links.startsWith('https://'),
    };
  }

  private async sessions(accountId: AccountId, domain: string): Promise<DoctorFigures['sessions']> {
    const rows: DoctorFigures['sessions'][] = await this.dataSource.query(`${UNNAMED} ${SESSIONS}`, [
      accountId,
      domain,
    ]);
    return rows[0] ?? { encrypted: 0, plain: 0 };
  }
}

const SESSIONS = `
  with newest as materialized (
    select id, send_request_id from messages
    where account_id = $1 order by created_at desc, id desc limit ${LOOKED_THROUGH}),
  own as (
    select n.id from newest n join send_requests s on s.id = n.send_request_id
    where s.domain = $2 and s.sandbox is null limit ${MOST_SESSIONS})
  select count(*) filter (where a.tls)::int as encrypted, count(*) filter (where not a.tls)::int as plain
  from own join delivery_attempts a on a.message_id = own.id and a.status = 'Delivery' and a.tls is not null`;
