import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Jobs } from '@postmesh/jobs';
import type { Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { JOBS, LOGGER } from '@postmesh/service-host';
import { acceptedEvent, type AnnouncedRecipient, type AnnouncedRow } from '../accept/send-request.rules.js';
import { DomainDirectory } from '../domain-changes/domain-directory.js';

const EVERY_MS = 60_000;
const BATCH_SIZE = 1_000;
const MAX_BATCHES = 60;

/** Each send request is checked twice: soon, and once more for what was lost again. */
const PASSES = [
  { pass: 'soon', ageSeconds: 300 },
  { pass: 'later', ageSeconds: 3_600 },
] as const;

const REPUBLISH = { queue: 'messages', name: 'republish-messages', everyMs: EVERY_MS, timeoutMs: 300_000 };

interface UnclaimedSendRequest extends AnnouncedRow {
  recipients: AnnouncedRecipient[];
}

/**
 * The rows are the truth, the bus carries only facts about them (architecture §1.2): when a stream was lost
 * after a message was published and before it was consumed, this sweeper publishes it again. The event has its old
 * id, so the inbox of a consumer that had it leaves it out.
 */
@Injectable()
export class RepublishMessages implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly domains: DomainDirectory,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** An event in the log of this database is as safe as its row, and a second one would have its effect twice. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.outbox.way === 'log') return;
    await this.jobs.repeat(REPUBLISH, (signal) => this.sweep(new Date(), signal));
  }

  async sweep(now: Date, signal: AbortSignal): Promise<void> {
    for (const { pass, ageSeconds } of PASSES) {
      const until = new Date(now.getTime() - ageSeconds * 1000);
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
        if (!(await this.sweepBatch(pass, until))) break;
      }
    }
  }

  /** @returns whether there may be more before `until` */
  private async sweepBatch(pass: string, until: Date): Promise<boolean> {
    const from = await this.beginAt(pass, until);
    const rows: UnclaimedSendRequest[] = await this.dataSource.query(UNCLAIMED, [from, until, BATCH_SIZE]);
    const events = await Promise.all(
      rows.map(async (row) => acceptedEvent(row, row.recipients, await this.returnPathHost(row))),
    );
    const last = rows.length < BATCH_SIZE ? until : (rows.at(-1)?.createdAt ?? until);
    const mine = await this.dataSource.transaction(async (tx) => {
      const [moved]: [unknown[], number] = await tx.query(
        'update republish_passes set checked_until = $3 where pass = $1 and checked_until = $2 returning pass',
        [pass, from, last],
      );
      if (moved.length > 0) await this.outbox.add(tx, events);
      return moved.length > 0;
    });
    if (mine && rows.length > 0) {
      this.logger.warn(
        { event: 'messages.republished', pass, count: rows.length },
        'published again what no worker had begun',
      );
    }
    return mine && rows.length === BATCH_SIZE;
  }

  /** A new pass begins with what may still be delivered: a day. */
  private async beginAt(pass: string, until: Date): Promise<Date> {
    await this.dataSource.query(
      `insert into republish_passes (pass, checked_until) values ($1, $2::timestamptz - interval '1 day')
       on conflict do nothing`,
      [pass, until],
    );
    const rows: { checkedUntil: Date }[] = await this.dataSource.query(
      'select checked_until as "checkedUntil" from republish_passes where pass = $1',
      [pass],
    );
    return rows[0]?.checkedUntil ?? until;
  }

  private async returnPathHost({ accountId, domain }: AnnouncedRow): Promise<string | null> {
    const facts = await this.domains.find(accountId, domain).catch(() => undefined);
    return facts?.return_path_host ?? null;
  }
}

// One event names all recipients, so the first one that is not suppressed says whether it was consumed. Nobody has begun
// what is looked for, so who is suppressed there was so at acceptance.
const UNCLAIMED = `
  select s.id, s.account_id as "accountId", s.kind, s.domain_id as "domainId", s.domain, s.sender, s.subject,
    s.message_id_header as "messageIdHeader", s.content_id as "contentId", s.size, s.created_at as "createdAt",
    s.first_attempt as "firstAttempt", s.expires, s.sandbox, s.tags, s.track_opens as "trackOpens", s.track_clicks as "trackClicks",
    (select jsonb_agg(jsonb_build_object('id', m.id, 'email', m.recipient, 'subject', m.subject)
       || case when m.status = 'Suppressed' then '{"suppressed": true}'::jsonb else '{}'::jsonb end order by m.id)
     from messages m where m.id = s.id or (m.send_request_id = s.id and m.id <> m.send_request_id)) as recipients
  from send_requests s
  where s.created_at >= $1 and s.created_at < $2 and s.content_id is not null and exists (
    select from messages m where m.id = s.id and (
      (m.status in ('Received', 'Scheduled') and m.num_attempts = 0)
      or (m.status in ('Suppressed', 'Canceled') and exists (
        select from messages other where other.send_request_id = s.id and other.id <> other.send_request_id
          and other.status in ('Received', 'Scheduled') and other.num_attempts = 0))))
  order by s.created_at limit $3`;
