import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, type AccountId } from '@postmesh/contracts';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { CampaignsRepository, requireLists } from '../campaigns/campaigns.repository.js';
import { CountSegment } from './count-segment.js';
import { listsOf } from './segment-filter.schema.js';
import { MAX_SEGMENTS, SegmentErrors, type SegmentBody, type SegmentRow } from './segment.schema.js';

const COLUMNS = `id, created_at as "createdAt", updated_at as "updatedAt", name, filter, contacts,
  counted_at as "countedAt"`;

/** The segments of accounts: saved filters over their contacts (decision 162). */
@Injectable()
export class Segments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly counting: CountSegment,
  ) {}

  /** By name, with their last counts. */
  list(accountId: AccountId): Promise<SegmentRow[]> {
    return this.dataSource.query(
      `select ${COLUMNS} from segments where account_id = $1 order by lower(name), id limit ${MAX_SEGMENTS}`,
      [accountId],
    );
  }

  /** Counted now. @throws ApiError 404 */
  async get(accountId: AccountId, id: string): Promise<SegmentRow> {
    const { filter } = await find(this.dataSource.manager, accountId, id);
    const contacts = await this.counting.execute(accountId, filter);
    if (contacts !== null)
      await this.dataSource.query('update segments set contacts = $2, counted_at = now() where id = $1', [
        id,
        contacts,
      ]);
    return find(this.dataSource.manager, accountId, id);
  }

  /** @throws ApiError 400, 401 or 409 */
  async create(accountId: AccountId, input: SegmentBody): Promise<SegmentRow> {
    const id = newId();
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await tx.query(`select pg_advisory_xact_lock(hashtext('segments of an account'), hashtext($1))`, [
        accountId,
      ]);
      const [{ count }]: [{ count: number }] = await tx.query(
        'select count(*)::int as count from segments where account_id = $1',
        [accountId],
      );
      if (count >= MAX_SEGMENTS) throw SegmentErrors.tooMany();
      await this.checkLists(tx, accountId, input);
      await tx.query(
        `insert into segments (id, account_id, created_at, updated_at, name, filter)
         values ($1, $2, now(), now(), $3, $4)`,
        [id, accountId, input.name, JSON.stringify(input.filter)],
      );
    });
    return this.get(accountId, id);
  }

  /** @throws ApiError 400, 401, 404, or 409 while a campaign waits that was checked with the filter before */
  async update(accountId: AccountId, id: string, input: SegmentBody): Promise<SegmentRow> {
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const before = await find(tx, accountId, id, 'for update');
      await this.checkLists(tx, accountId, input);
      const filter = JSON.stringify(input.filter);
      const isOther = !isDeepStrictEqual(before.filter, input.filter);
      if (isOther && (await isUsed(tx, id, WAITING))) throw SegmentErrors.waits();
      await tx.query(
        `update segments set updated_at = now(), name = $2, filter = $3,
           contacts = case when filter = $3::jsonb then contacts end,
           counted_at = case when filter = $3::jsonb then counted_at end
         where id = $1`,
        [id, input.name, filter],
      );
    });
    return this.get(accountId, id);
  }

  /** @returns its name @throws ApiError 404, or 409 while an unfinished campaign uses it */
  delete(accountId: AccountId, id: string): Promise<string> {
    return this.dataSource.transaction(async (tx) => {
      const { name } = await find(tx, accountId, id, 'for update');
      if (await isUsed(tx, id, UNFINISHED)) throw SegmentErrors.inUse();
      await tx.query('delete from segments where id = $1', [id]);
      return name;
    });
  }

  private async checkLists(tx: EntityManager, accountId: AccountId, { filter }: SegmentBody): Promise<void> {
    const lists = listsOf(filter);
    if (lists.length > 0) requireLists(lists, await this.campaigns.lockLists(tx, accountId, lists));
  }
}

/** @throws ApiError 404 */
async function find(
  manager: EntityManager,
  accountId: AccountId,
  id: string,
  lock: '' | 'for update' = '',
): Promise<SegmentRow> {
  const [found]: SegmentRow[] = await manager.query(
    `select ${COLUMNS} from segments where id = $1 and account_id = $2 ${lock}`,
    [id, accountId],
  );
  if (!found) throw SegmentErrors.notFound();
  return found;
}

/** Their audience was checked, or an operator has seen it. */
const WAITING = ['validating', 'waiting_for_review', 'scheduled'];
const UNFINISHED = ['draft', ...WAITING, 'sending', 'paused'];

async function isUsed(tx: EntityManager, id: string, statuses: readonly string[]): Promise<boolean> {
  const [row]: { used: boolean }[] = await tx.query(
    `select exists (select from campaign_segments join campaigns on id = campaign_id
      where segment_id = $1 and status = any($2::text[])) as used`,
    [id, statuses],
  );
  return row?.used === true;
}
