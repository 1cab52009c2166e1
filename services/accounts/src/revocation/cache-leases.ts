import { Body, Controller, Delete, HttpCode, Injectable, Post, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Signal } from '@postmesh/concurrency';
import { CacheLeaseRequest, type CacheLeaseResponse } from '@postmesh/accounts-contract';
import { Internal, uuidParam } from '@postmesh/service-host';
import { internalBody } from '../internal-requests/internal-body.js';
import { KeyChangeFeed } from './key-changes.js';
import { leaseResponse, HOLD_MS, isCurrent, LEASE_MS, type Change } from './lease.rules.js';

// Poll interval for acknowledgements that another replica received.
const LOOK_AGAIN_MS = 25;
// Deletes the rows of gateways that ended without releasing their lease.
const FORGET_EVERY_MS = 60_000;
// A lease without an acknowledgement is not extended, so none can delay a change for longer.
const MAX_WAIT_MS = 2 * LEASE_MS;

interface ChangeRow {
  revision: string;
  key_ids: string[];
  account_ids: string[];
}

/**
 * The leases of gateways that may serve keys from memory, with the revision that each has applied. The response to
 * a change of a key is sent only after every gateway with a lease has dropped the key or lost its lease. The
 * next request on any gateway then sees the new state, without a look-up per request.
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

  /** Grants or extends a lease; waits for about a second while there is no change. */
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

  /** Releases the lease of a gateway that stops, and responds to its open request. */
  async giveUp(instance: string): Promise<void> {
    await this.dataSource.query('delete from cache_leases where instance = $1', [instance]);
    this.acknowledged.raise();
    this.feed.changes.raise();
  }

  /** Responds to open requests before the database closes. */
  async onModuleDestroy(): Promise<void> {
    this.feed.changes.close();
    await Promise.allSettled(this.open);
  }

  /**
   * Resolves once no gateway can serve a state before this revision. To be awaited between the commit of
   * a change and its response.
   * @throws Error when a lease outlived its time, which is a bug
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
   * The lock on the revision orders this against changes: a change that commits later sees the lease, one that
   * committed before prevents it.
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

  /** One statement, so that revision and changes are consistent. */
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
