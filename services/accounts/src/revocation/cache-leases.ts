import { Body, Controller, Delete, HttpCode, Injectable, Post, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Signal } from '@postmesh/concurrency';
import { CacheLeaseRequest, type CacheLeaseResponse } from '@postmesh/contracts';
import { Internal, uuidParam } from '@postmesh/service-host';
import { internalBody } from '../internal-requests/internal-body.js';
import { KeyChangeFeed } from './key-changes.js';
import { leaseResponse, HOLD_MS, isCurrent, LEASE_MS, type Change } from './lease.rules.js';

// Acknowledgements that another replica took are found by looking again.
const LOOK_AGAIN_MS = 25;
// Rows of gateways that have ended without a word.
const FORGET_EVERY_MS = 60_000;
// A lease that has not acknowledged is not extended, so none can stand in the way for longer.
const MAX_WAIT_MS = 2 * LEASE_MS;

interface ChangeRow {
  revision: string;
  key_ids: string[];
  account_ids: string[];
}

/**
 * Which gateways may serve keys from memory, and how far each of them has followed the changes. A change
 * of a key is answered only after every gateway with a lease has dropped the key or lost its lease: the
 * next request on any gateway then meets the new state, and none of them asks per request.
 */
@Injectable()
export class CacheLeases implements OnModuleDestroy {
  private readonly acknowledged = new Signal();
  private readonly open = new Set<Promise<CacheLeaseResponse>>();
  private forgottenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dataSource: DataSource,
    private readonly feed: KeyChangeFeed,
  ) {}

  /** Grants or extends a lease; stays open for about a second while there is nothing to tell. */
  ask(request: CacheLeaseRequest): Promise<CacheLeaseResponse> {
    const response = this.response(request);
    const settled = () => this.open.delete(response);
    this.open.add(response);
    response.then(settled, settled);
    return response;
  }

  private async response(request: CacheLeaseRequest): Promise<CacheLeaseResponse> {
    const acked = request.acked_revision;
    const mark = this.feed.changes.mark;
    const revision = await this.dataSource.transaction((manager) => this.grant(manager, request));
    this.acknowledged.raise();
    const current = isCurrent(acked, revision);
    if (current && acked !== null) await this.feed.changes.waitPast(mark, HOLD_MS);
    return this.changesSince(acked, current ? LEASE_MS : 0);
  }

  /** A gateway that stops: nobody needs to wait for it, and its open question is answered. */
  async giveUp(instance: string): Promise<void> {
    await this.dataSource.query('delete from cache_leases where instance = $1', [instance]);
    this.acknowledged.raise();
    this.feed.changes.raise();
  }

  /** Before the database closes, open questions are answered. */
  async onModuleDestroy(): Promise<void> {
    this.feed.changes.close();
    await Promise.allSettled(this.open);
  }

  /**
   * Resolves once no gateway can serve what was before this revision. To be awaited between the commit of
   * a change and its answer.
   * @throws Error when a lease outlived its time, which would be a bug
   */
  async settled(revision: number): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    while (performance.now() < until) {
      const mark = this.acknowledged.mark;
      const [row]: { behind: boolean }[] = await this.dataSource.query(
        `select exists (select from cache_leases
           where acked_revision < $1 and expires_at > clock_timestamp()) as behind`,
        [revision],
      );
      if (!row?.behind) return;
      await this.acknowledged.waitPast(mark, LOOK_AGAIN_MS);
    }
    throw new Error(`a key cache did not follow revision ${revision}`);
  }

  /**
   * The lock on the revision makes this either see a change or be seen by it: a change that commits
   * later finds the lease, one that committed before refuses it.
   */
  private async grant(manager: EntityManager, request: CacheLeaseRequest): Promise<number> {
    const { instance, acked_revision: acked } = request;
    const [row]: { revision: string }[] = await manager.query('select revision from key_revision for share');
    const revision = Number(row?.revision);
    if (isCurrent(acked, revision)) await this.extend(manager, instance, revision);
    else if (acked !== null) await this.acknowledge(manager, instance, acked);
    return revision;
  }

  private async extend(manager: EntityManager, instance: string, revision: number): Promise<void> {
    await manager.query(
      `insert into cache_leases (instance, acked_revision, expires_at)
       values ($1, $2, clock_timestamp() + make_interval(secs => $3))
       on conflict (instance) do update
         set acked_revision = excluded.acked_revision, expires_at = excluded.expires_at`,
      [instance, revision, LEASE_MS / 1_000],
    );
    if (performance.now() < this.forgottenAt + FORGET_EVERY_MS) return;
    this.forgottenAt = performance.now();
    await manager.query(`delete from cache_leases where expires_at < now() - interval '1 hour'`);
  }

  private async acknowledge(manager: EntityManager, instance: string, acked: number): Promise<void> {
    await manager.query(
      'update cache_leases set acked_revision = greatest(acked_revision, $2) where instance = $1',
      [instance, acked],
    );
  }

  /** One statement, so that revision and changes belong together. */
  private async changesSince(acked: number | null, leaseMs: number): Promise<CacheLeaseResponse> {
    const rows: (Partial<ChangeRow> & { current: string })[] = await this.dataSource.query(
      `select current.revision as current, change.revision, change.key_ids, change.account_ids
       from key_revision current left join key_changes change on change.revision > $1
       order by change.revision`,
      [acked ?? Number.MAX_SAFE_INTEGER],
    );
    const changes: Change[] = rows.flatMap((row) =>
      row.revision === undefined || row.revision === null
        ? []
        : [{ revision: Number(row.revision), keyIds: row.key_ids ?? [], accountIds: row.account_ids ?? [] }],
    );
    return leaseResponse(acked, Number(rows[0]?.current), changes, leaseMs);
  }
}

@Controller('internal/cache-leases')
@Internal()
export class CacheLeasesController {
  constructor(private readonly leases: CacheLeases) {}

  @Post()
  @HttpCode(200)
  ask(@Body(internalBody(CacheLeaseRequest)) request: CacheLeaseRequest): Promise<CacheLeaseResponse> {
    return this.leases.ask(request);
  }

  @Delete(':instance')
  async giveUp(@uuidParam('instance') instance: string): Promise<{ message: string }> {
    await this.leases.giveUp(instance);
    return { message: 'lease ended' };
  }
}
