import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import type { AccountId } from '@postmesh/contracts';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';

/** Days in which an operator can still undo a deletion, by setting `deleted_at` to null. */
const KEPT_DAYS = 30;
// each with up to 50 versions of two megabytes
const BATCH_SIZE = 20;

/** Removes deleted templates with all their rows. */
@Injectable()
export class PurgeTemplates {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'purge-templates', everyMs: 3_600_000, timeoutMs: 600_000 })
  async purge(signal: AbortSignal): Promise<void> {
    await this.deleteWhere(`deleted_at < now() - make_interval(days => ${KEPT_DAYS})`, [], signal);
  }

  /** Removes the templates of a deleted account, at once. @returns false when it was aborted */
  async deleteAccount(accountId: AccountId, signal: AbortSignal): Promise<boolean> {
    await this.deleteWhere('account_id = $1', [accountId], signal);
    return !signal.aborted;
  }

  private async deleteWhere(condition: string, parameters: unknown[], signal: AbortSignal): Promise<void> {
    const statement = `delete from templates where id in (
      select id from templates where ${condition} limit ${BATCH_SIZE} for update skip locked)`;
    const deleteBatch = () => changedRows(this.dataSource, statement, parameters);
    await inBatches(deleteBatch, { size: BATCH_SIZE, signal });
  }
}
