import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask, inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { ContactImports } from '../contacts/imports/contact-imports.js';

const MAX_ACCOUNTS = 100;
// Rows per transaction, so that the deletion of a million contacts holds no lock for long.
const PIECE = 1_000;
// campaigns and lists, each with its dependent rows
const PAGE = 100;

/**
 * Removes the rows of a deleted account in batches, each in its own transaction, so that a kill costs one batch at
 * most. No rows are added meanwhile (`requirePresent`), and its campaigns are ended first.
 */
@Injectable()
export class PurgeAccounts implements BeforeApplicationShutdown {
  private readonly purging = new DebouncedTask(
    (signal) => this.purgeDue(signal),
    (error) =>
      this.logger.warn(
        { event: 'accounts.purge_failed', err: error },
        'purging deleted accounts failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly imports: ContactImports,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.purging.stop();
  }

  /** Starts a purge after a deletion. A failure is left to the periodic run. */
  wake(): void {
    this.purging.trigger();
  }

  @Periodic({ name: 'purge-accounts', everyMs: 60_000, timeoutMs: 600_000 })
  async purgeDue(signal: AbortSignal): Promise<void> {
    const due: { id: string }[] = await this.dataSource.query(
      `select account_id as id from deleted_accounts where purged_at is null order by deleted_at limit ${MAX_ACCOUNTS}`,
    );
    for (const { id } of due) {
      await this.purge(id, signal);
      if (signal.aborted) return;
      await this.dataSource.query('update deleted_accounts set purged_at = now() where account_id = $1', [
        id,
      ]);
      this.logger.info({ event: 'account.purged', account_id: id }, 'account purged');
    }
  }

  private async purge(accountId: string, signal: AbortSignal): Promise<void> {
    await this.inPieces(END_CAMPAIGNS, accountId, signal);
    await this.eachOf('campaigns', accountId, signal, async (id) => {
      for (const statement of OF_CAMPAIGN) await this.inPieces(statement, id, signal);
    });
    await this.eachOf('lists', accountId, signal, async (id) => {
      for (const statement of OF_LIST) await this.inPieces(statement, id, signal);
    });
    const removeImports = () => this.imports.rows.removeSome(accountId, PAGE);
    await inBatches(removeImports, { size: PAGE, signal });
    for (const statement of OF_ACCOUNT) await this.inPieces(statement, accountId, signal);
  }

  /** Empties each campaign or list, then removes it. */
  private async eachOf(
    table: 'campaigns' | 'lists',
    accountId: string,
    signal: AbortSignal,
    empty: (id: string) => Promise<void>,
  ): Promise<void> {
    const removePage = async (): Promise<number> => {
      const page: { id: string }[] = await this.dataSource.query(
        `select id from ${table} where account_id = $1 order by id limit ${PAGE}`,
        [accountId],
      );
      for (const { id } of page) {
        await empty(id);
        if (signal.aborted) return 0;
        await this.dataSource.query(`delete from ${table} where id = $1`, [id]);
      }
      return page.length;
    };
    await inBatches(removePage, { size: PAGE, signal });
  }

  private async inPieces(statement: string, id: string, signal: AbortSignal): Promise<void> {
    const removePiece = () => changedRows(this.dataSource, statement, [id]);
    await inBatches(removePiece, { size: PIECE, signal });
  }
}

// A worker that processes one of these campaigns stops, since its state and the token of its lease have changed.
const END_CAMPAIGNS = `update campaigns set status = 'canceled', status_reason = 'the account was closed',
    due_at = null, leased_until = null, lease_token = lease_token + 1, send_resumes_at = null,
    finished_at = now(), updated_at = now()
  where id in (select id from campaigns where account_id = $1 and status not in ('sent', 'canceled', 'failed')
    order by id limit ${PIECE} for update)`;

const pieceOf = (table: string, key: string, column: string) =>
  `delete from ${table} where (${key}) in (select ${key} from ${table} where ${column} = $1 limit ${PIECE})`;

const OF_CAMPAIGN = [
  pieceOf('campaign_batches', 'id', 'campaign_id'),
  pieceOf('campaign_recipients', 'campaign_id, position', 'campaign_id'),
  pieceOf('campaign_fetches', 'id', 'campaign_id'),
  pieceOf('campaign_forgotten_messages', 'message_id', 'campaign_id'),
  pieceOf('campaign_count_deltas', 'id', 'campaign_id'),
];

const OF_LIST = [
  pieceOf('memberships', 'list_id, contact_id', 'list_id'),
  pieceOf('list_count_deltas', 'id', 'list_id'),
];

// with the unsubscribe history of each contact
const OF_ACCOUNT = [
  pieceOf('segments', 'id', 'account_id'),
  pieceOf('sign_ups', 'id', 'account_id'),
  pieceOf('sign_up_forms', 'id', 'account_id'),
  pieceOf('consent_texts', 'form_id, version', 'account_id'),
  pieceOf('consent_records', 'account_id, seq', 'account_id'),
  pieceOf('consent_chains', 'account_id', 'account_id'),
  pieceOf('campaign_templates', 'id', 'account_id'),
  pieceOf('contacts', 'id', 'account_id'),
  pieceOf('attribute_definitions', 'account_id, key', 'account_id'),
  pieceOf('marketing_limits', 'account_id', 'account_id'),
  pieceOf('marketing_days', 'account_id, day', 'account_id'),
];
