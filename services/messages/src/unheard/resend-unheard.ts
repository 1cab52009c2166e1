import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Jobs } from '@postmesh/jobs';
import type { Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { JOBS, LOGGER } from '@postmesh/service-host';
import { DomainDirectory } from '../domain-facts/domain-directory.js';
import { toAcceptedEvent, type UnheardSendRequest } from './unheard.rules.js';

const EVERY_MS = 60_000;
const BATCH = 1_000;
const MOST_BATCHES = 60;

/** Each send request is looked at twice: soon, and once more for what was lost on the second way. */
const PASSES = [
  { pass: 'soon', ageSeconds: 300 },
  { pass: 'later', ageSeconds: 3_600 },
] as const;

const SWEEP = { queue: 'messages', name: 'resend-unheard', everyMs: EVERY_MS, timeoutMs: 300_000 };

/**
 * The rows are the truth, the bus carries only facts about them (architecture §1.2): when a topic was wiped
 * after a message was published and before it was heard, this sweep publishes it again. The event has its old
 * id, so who has heard it lets it pass.
 */
@Injectable()
export class ResendUnheard implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly domains: DomainDirectory,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(SWEEP, (signal) => this.sweep(new Date(), signal));
  }

  async sweep(now: Date, signal: AbortSignal): Promise<void> {
    for (const { pass, ageSeconds } of PASSES) {
      const until = new Date(now.getTime() - ageSeconds * 1000);
      for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
        if (!(await this.sweepBatch(pass, until))) break;
      }
    }
  }

  /** @returns whether there may be more before `until` */
  private async sweepBatch(pass: string, until: Date): Promise<boolean> {
    const from = await this.beginAt(pass, until);
    const rows: UnheardSendRequest[] = await this.dataSource.query(UNHEARD, [from, until, BATCH]);
    const events = await Promise.all(
      rows.map(async (row) => toAcceptedEvent(row, await this.returnPathHost(row))),
    );
    const last = rows.length < BATCH ? until : (rows.at(-1)?.created_at ?? until);
    const mine = await this.dataSource.transaction(async (manager) => {
      const [moved]: [unknown[], number] = await manager.query(
        'update unheard_sweeps set swept_until = $3 where pass = $1 and swept_until = $2 returning pass',
        [pass, from, last],
      );
      if (moved.length > 0) await this.outbox.add(manager, events);
      return moved.length > 0;
    });
    if (mine && rows.length > 0) {
      this.logger.warn({ pass, count: rows.length }, 'published again what nobody had begun');
    }
    return mine && rows.length === BATCH;
  }

  /** A new pass begins with what may still be delivered: a day. */
  private async beginAt(pass: string, until: Date): Promise<Date> {
    await this.dataSource.query(
      `insert into unheard_sweeps (pass, swept_until) values ($1, $2::timestamptz - interval '1 day') on conflict do nothing`,
      [pass, until],
    );
    const rows: { swept_until: Date }[] = await this.dataSource.query(
      'select swept_until from unheard_sweeps where pass = $1',
      [pass],
    );
    return rows[0]?.swept_until ?? until;
  }

  private async returnPathHost(row: UnheardSendRequest): Promise<string> {
    const facts = await this.domains.find(row.account_id, row.domain).catch(() => undefined);
    return facts?.return_path_host ?? '';
  }
}

// One event tells of all recipients, so the first one says whether it was heard.
const UNHEARD = `
  select s.id, s.account_id, s.domain_id, s.domain, s.sender, s.subject, s.message_id_header, s.content_id, s.size,
    s.created_at, s.first_attempt, s.expires, s.sandbox,
    (select jsonb_agg(jsonb_build_object('id', m.id, 'email', m.recipient) order by m.id) from messages m
     where m.id = s.id or (m.send_request_id = s.id and m.id <> m.send_request_id)) as recipients
  from send_requests s
  where s.created_at >= $1 and s.created_at < $2 and s.content_id is not null and exists (
    select from messages m where m.id = s.id and m.status in ('Received', 'Scheduled') and m.num_attempts = 0)
  order by s.created_at limit $3`;
