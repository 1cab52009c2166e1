import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { insertRows } from '@postmesh/database';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { TlsCount } from './tls-sessions.rules.js';

/** A kill loses the counts of this time; a report is about a day. */
const WRITE_MS = 5_000;
/** Different counts between two writes; above it sessions are not counted. */
const MAX_COUNTS = 5_000;

interface Row extends TlsCount {
  readonly day: string;
  sessions: number;
}

const COLUMNS = {
  day: 'date',
  policy_domain: 'text',
  policy_type: 'text',
  result: 'text',
  mx_host: 'text',
  policy_text: 'text[]',
  sessions: 'bigint',
} as const;

/** Counts sessions for reports about TLS (decision 172), by UTC day, where reports are on. */
@Injectable()
export class TlsSessions implements BeforeApplicationShutdown {
  private counts = new Map<string, Row>();
  private readonly isOn: boolean;
  private readonly uncounted;
  private readonly writing = new DebouncedTask(
    () => this.write(),
    (error) => {
      this.writing.triggerIn(WRITE_MS);
      this.logger.warn(
        { event: 'tls_sessions.write_failed', err: error },
        'writing counts of sessions failed, will retry',
      );
    },
  );

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) { tlsReports }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.isOn = tlsReports;
    this.uncounted = metrics.counter(
      'postmesh_tls_sessions_uncounted_total',
      'Sessions that reports about TLS leave out, because too many different ones came at once',
      [],
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.writing.stop();
    await this.write().catch(() => undefined);
  }

  add(count: TlsCount): void {
    if (!this.isOn) return;
    const day = new Date().toISOString().slice(0, 10);
    const key = [day, count.policyDomain, count.policyType, count.result, count.mxHost].join(' ');
    const known = this.counts.get(key);
    if (known) known.sessions += 1;
    else if (this.counts.size < MAX_COUNTS) this.counts.set(key, { ...count, day, sessions: 1 });
    else this.uncounted.inc();
    if (this.counts.size === 1) this.writing.triggerIn(WRITE_MS);
  }

  /** After a failure the next write has these counts, too. */
  private async write(): Promise<void> {
    const taken = this.counts;
    if (taken.size === 0) return;
    this.counts = new Map();
    // in one order, so that two workers do not wait for each other
    const rows = [...taken].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
    try {
      await insertRows(this.dataSource, 'tls_sessions as known', COLUMNS, rows, { onConflict: ADD });
    } catch (error) {
      for (const [key, row] of taken) {
        const since = this.counts.get(key);
        if (since) since.sessions += row.sessions;
        else this.counts.set(key, row);
      }
      throw error;
    }
  }
}

const ADD = `(day, policy_domain, policy_type, result, mx_host)
  do update set sessions = known.sessions + excluded.sessions`;
