import { Inject, Injectable } from '@nestjs/common';
import type { SentDeliveries } from '@postmesh/delivery-worker-contract';
import type { LeasedRow } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { LOGGER } from '@postmesh/service-host';
import { DataSource } from 'typeorm';
import { DELIVERIES } from '../queue/deliveries.table.js';
import { toEvent, unsent, type AttemptRecord } from '../record/attempt-record.rules.js';

/**
 * Ends deliveries as delivered that were delivered after the moment to which the database was restored, by the log of
 * the installation that was lost (decision 80). The same applies to those that a worker had in flight when the backup
 * was made: that worker finds its row gone.
 */
@Injectable()
export class EndSentDeliveries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns how many of them waited here */
  async execute(sent: SentDeliveries['deliveries']): Promise<number> {
    const ended = await this.dataSource.transaction(async (tx) => {
      const [rows]: [SentRow[], number] = await tx.query(END, [
        sent.map(({ id }) => id),
        sent.map(({ at }) => at),
        sent.map(({ remote_host: host }) => host ?? null),
      ]);
      await this.outbox.add(
        tx,
        rows.map((row) => toEvent(recordOf(row))),
      );
      return rows.length;
    });
    this.logger.info(
      { event: 'deliveries.ended_as_sent', given: sent.length, ended },
      'deliveries ended as sent before',
    );
    return ended;
  }
}

interface SentRow extends LeasedRow {
  readonly sent_at: Date;
  readonly remote_host: string | null;
}

function recordOf({ sent_at: at, remote_host: remoteHost, ...row }: SentRow): AttemptRecord {
  // the attempt in flight is counted already
  const attempts = row['state'] === 'leased' ? row.attempts : row.attempts + 1;
  return unsent(DELIVERIES.toItem({ ...row, attempts, first_attempt_at: row.first_attempt_at ?? at }), {
    outcome: 'delivered',
    classification: null,
    counted: true,
    startedAt: at,
    finishedAt: at,
    remoteHost,
    reply: { smtp_code: 250, response: 'delivered before the restore, as the log says' },
  });
}

const END = `
  delete from deliveries d using (
    select distinct on (id) id, at, host from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as given(id, at, host)
    order by id, at) as sent
  where d.id = sent.id and d.state <> 'canceled'
  returning d.*, d.group_key as key, sent.at as sent_at, sent.host as remote_host`;
