import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows, deleteOlder } from '@postmesh/database';
import { Metrics } from '@postmesh/observability';
import { Periodic } from '@postmesh/work';

const DAY_S = 86_400;
const BATCH_SIZE = 5_000;

/** How long rows are kept. A failure report is about one message: it is kept as long as messages are. */
const KEPT: readonly (readonly [table: string, column: string, days: number])[] = [
  ['domain_reports', 'received_at', 120],
  ['reported_sources', 'updated_at', 120],
  ['reported_tls', 'updated_at', 120],
  ['failure_reports', 'received_at', 30],
  ['domain_alignments', 'updated_at', 120],
];

/** Deletes old rows and those of deleted accounts, and counts what has fallen. */
@Injectable()
export class PruneReports {
  constructor(
    private readonly dataSource: DataSource,
    metrics: Metrics,
  ) {
    metrics.asked(
      async () => (await dataSource.query<[{ count: number }]>(FALLEN))[0],
      [
        {
          name: 'postmesh_domains_alignment_fallen',
          help: 'Sending domains whose mail from our addresses is aligned less than usual, by reports of receivers',
          read: ({ count }) => count,
        },
      ],
    );
  }

  @Periodic({ name: 'prune-domain-reports', everyMs: 3_600_000, timeoutMs: 300_000 })
  async prune(signal: AbortSignal): Promise<void> {
    for (const [table, column, days] of KEPT) {
      await deleteOlder(this.dataSource, { table, column, olderThanSeconds: days * DAY_S, signal });
      const batch = () => changedRows(this.dataSource, ofDeletedAccounts(table));
      await inBatches(batch, { size: BATCH_SIZE, signal });
    }
  }
}

const ofDeletedAccounts = (table: string): string => `
  delete from ${table} where ctid = any(array(
    select row.ctid from ${table} row join deleted_accounts on deleted_accounts.account_id = row.account_id
    limit ${BATCH_SIZE} for update of row skip locked))`;

const FALLEN = `
  select count(*)::int as count from domain_alignments where scope = 'own' and fell_at is not null`;
