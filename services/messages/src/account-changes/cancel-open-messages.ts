import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import type { AccountId, MessageId } from '@postmesh/contracts';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { DeleteSuppressions } from '../suppressions/delete-suppressions.js';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';
import { PurgeTemplates } from '../templates/purge-templates.js';

const PAGE_SIZE = 2_000;
const MAX_ACCOUNTS = 1_000;
// Messages that were being accepted when the account was deleted may be stored a little later: a second run finds them.
const LOOK_AGAIN_MINUTES = 5;
// Scheduled up to 7 days ahead and tried for 24 hours (spec 2-messages §8); older messages are not open.
const OPEN_DAYS = 9;

/** The position of a message in the order of its account. */
interface Place {
  createdAt: Date | string;
  id: MessageId;
}

const NEWEST: Place = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' as MessageId };

/**
 * Cancels the unsent messages of a deleted account, page by page (spec 1-platform §10.4 rule 5), and deletes its
 * suppression list and its templates. Mail of campaigns is left out: its status has no reader any more, and the
 * delivery worker sends none of it.
 */
@Injectable()
export class CancelOpenMessages implements BeforeApplicationShutdown {
  private readonly canceling = new DebouncedTask(
    (signal) => this.cancelDue(signal),
    (error) =>
      this.logger.warn(
        { event: 'messages.cancel_failed', err: error },
        'canceling messages failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly suppressions: DeleteSuppressions,
    private readonly templates: PurgeTemplates,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.canceling.stop();
  }

  /** An account was deleted: runs now. A failure is left to the periodic run. */
  wake(): void {
    this.canceling.trigger();
  }

  @Periodic({ name: 'cancel-open-messages', everyMs: 60_000, timeoutMs: 600_000 })
  async cancelDue(signal: AbortSignal): Promise<void> {
    const due: { accountId: AccountId; begunAt: Date }[] = await this.dataSource.query(
      `select account_id as "accountId", now() as "begunAt" from deleted_accounts
       where canceled_at is null
          or (canceled_at < deleted_at + make_interval(mins => $1) and deleted_at + make_interval(mins => $1) < now())
       order by deleted_at limit ${MAX_ACCOUNTS}`,
      [LOOK_AGAIN_MINUTES],
    );
    for (const { accountId, begunAt } of due) {
      if (!(await this.cancelAll(accountId, signal))) return;
      if (!(await this.suppressions.deleteAccount(accountId, signal))) return;
      if (!(await this.templates.deleteAccount(accountId, signal))) return;
      await this.dataSource.query('update deleted_accounts set canceled_at = $2 where account_id = $1', [
        accountId,
        begunAt,
      ]);
    }
  }

  /** @returns false when it was aborted */
  private async cancelAll(accountId: AccountId, signal: AbortSignal): Promise<boolean> {
    let before: Place | undefined = NEWEST;
    while (before && !signal.aborted) before = await this.cancelPage(accountId, before);
    return before === undefined;
  }

  /** @returns the position of the next page; undefined at the end */
  private async cancelPage(accountId: AccountId, before: Place): Promise<Place | undefined> {
    const rows: (Place & { seen: number })[] = await this.dataSource.query(
      `with page as materialized (
         select id, created_at from messages
         where account_id = $1 and campaign_id is null and (created_at, id) < ($2::timestamptz, $3::uuid)
           and created_at > now() - make_interval(days => $4)
         order by created_at desc, id desc limit $5),
       canceled as (
         update messages m set status = 'Canceled', updated_at = now()
         from page where m.id = page.id and m.status = any($6))
       select created_at as "createdAt", id, (select count(*)::int from page) as seen from page
       order by created_at, id limit 1`,
      [accountId, before.createdAt, before.id, OPEN_DAYS, PAGE_SIZE, OPEN_STATUSES],
    );
    const [oldest] = rows;
    return oldest && oldest.seen === PAGE_SIZE ? oldest : undefined;
  }
}
