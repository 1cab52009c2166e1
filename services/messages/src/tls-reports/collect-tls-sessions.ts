import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import {
  TLS_SESSIONS_PAGE,
  TlsSessionsPage,
  type TlsDomainSessions,
} from '@postmesh/delivery-worker-contract';
import { deleteOlder, insertRows } from '@postmesh/database';
import { InternalClient } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Periodic } from '@postmesh/work';

/** After its end a worker may still have counts of a day. */
const SETTLED_AFTER = '10 minutes';
/** Days that are collected, when there was trouble. */
const DAYS = 2;
const KEPT_DAYS = 10;
const DAY_S = 86_400;
const MAX_PAGES = 200;

interface OpenDay {
  day: string;
  after: string;
}

const COLUMNS = {
  day: ['date', ({ day }: Collected) => day],
  policy_domain: ['text', ({ sessions }: Collected) => sessions.policy_domain],
  destination: ['text', () => ''],
  sessions: ['jsonb', ({ sessions }: Collected) => sessions],
  next_try_at: ['timestamptz', ({ at }: Collected) => at],
} as const;

interface Collected {
  day: string;
  sessions: TlsDomainSessions;
  at: Date;
}

/** RFC 8460 §5: reports are spread over hours, so that a receiver does not get all of them at midnight. */
const SPREAD_MS = 4 * 3_600_000;

/** Takes the sessions of a day from the delivery worker, once the day is over, and keeps what is to be sent. */
@Injectable()
export class CollectTlsSessions {
  private readonly isOn: boolean;

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    @Inject(SETTINGS) { tlsReports }: Settings,
  ) {
    this.isOn = tlsReports;
  }

  @Periodic({ name: 'collect-tls-sessions', everyMs: 600_000, timeoutMs: 300_000 })
  async collect(signal: AbortSignal): Promise<void> {
    if (this.isOn) {
      await this.dataSource.query(OPEN_DAYS, [DAYS, SETTLED_AFTER]);
      const open: OpenDay[] = await this.dataSource.query(READ_OPEN, [DAYS]);
      for (const { day } of open) {
        const limits = { size: TLS_SESSIONS_PAGE, max: MAX_PAGES, signal };
        await inBatches(() => this.collectPage(day), limits);
      }
    }
    await deleteOlder(this.dataSource, {
      table: 'tls_report_sends',
      column: 'created_at',
      olderThanSeconds: KEPT_DAYS * DAY_S,
      signal,
    });
    await this.dataSource.query(FORGET_DAYS, [KEPT_DAYS]);
  }

  /** Its domains and the place of the next page are one transaction. @returns the number of domains */
  private async collectPage(day: string): Promise<number> {
    const [open]: OpenDay[] = await this.dataSource.query(READ_DAY, [day]);
    if (!open) return 0;
    const query = new URLSearchParams({ day, after: open.after });
    const request = { method: 'GET' as const, path: `/internal/tls-sessions?${query}` };
    const page = await this.client.request('delivery-worker', request, TlsSessionsPage);
    if (!page) throw new Transient('the delivery worker counts no sessions: its release is older');
    const { domains } = page;
    await this.dataSource.transaction(async (tx) => {
      const rows = domains.map((sessions) => ({
        day,
        sessions,
        at: new Date(Date.now() + Math.random() * SPREAD_MS),
      }));
      await insertRows(tx, 'tls_report_sends', COLUMNS, rows, { onConflict: 'do nothing' });
      await tx.query(GO_ON, [
        day,
        domains.at(-1)?.policy_domain ?? open.after,
        domains.length < TLS_SESSIONS_PAGE,
      ]);
    });
    return domains.length;
  }
}

const OPEN_DAYS = `
  insert into tls_report_days (day)
  select ((now() - $2::interval) at time zone 'UTC')::date - nth from generate_series(1, $1::int) as nth
  on conflict do nothing`;
const READ_OPEN = `
  select day::text, after from tls_report_days
  where not is_complete and day >= (now() at time zone 'UTC')::date - $1::int order by day`;
const READ_DAY = 'select day::text, after from tls_report_days where day = $1 and not is_complete';
// another process may have gone on from the same place: never back
const GO_ON = `
  update tls_report_days set after = greatest(after, $2), is_complete = is_complete or $3 where day = $1`;
const FORGET_DAYS = `delete from tls_report_days where day < (now() at time zone 'UTC')::date - $1::int`;
