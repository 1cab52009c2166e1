import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { backoffMs, SingleFlight } from '@postmesh/concurrency';
import type { DomainId } from '@postmesh/contracts';
import { retryTransient } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { DkimSlot } from '../database/entities.js';
import { dkimAlias, dkimKeyRecord, serviceHosts } from '../dns/dns-records.rules.js';
import { MANAGED_ZONE, type AliasChange, type ManagedZone } from './managed-zone.port.js';

// 50 key records are 25 KB of the 64 KB that a DNS message holds.
const BATCH = 50;
// Longer than an update takes; after this the next process writes the batch of a dead one.
const LEASE_S = 30;
const AFTER_FAILURE = { firstMs: 1_000, maxMs: 60_000, spread: 0.2 };
// A running update of a domain's keys ends before the names of the deleted domain are withdrawn.
const WITHDRAW_AFTER = '1 minute';
// A key that resolvers miss is published again, but not while they may have cached its absence.
const WRITE_AGAIN_AFTER = '1 hour';

interface WaitingKey {
  id: string;
  slot: DkimSlot;
  publicKey: string;
  token: string;
}

interface Batch {
  keys: readonly WaitingKey[];
  /** tokens of deleted domains */
  withdrawn: readonly string[];
}

/** State of the publication of the zone, for operators. */
export interface PublicationStatus {
  /** `pulled`: another program publishes the list of `/operator/zone` */
  driver: 'dynamic-update' | 'pulled';
  zone: string;
  waiting: number;
  to_withdraw: number;
  problem: string | null;
  failing_since: string | null;
  next_at: string | null;
}

/**
 * Writes the public keys of managed domains into the zone. The rows are the source of truth: a key without
 * `published_at` is due, the token of a deleted domain is kept until its names are withdrawn. The zone fails or works
 * as a whole, so one row holds its backoff.
 */
@Injectable()
export class AliasPublication implements OnModuleInit {
  private readonly zoneName: string;
  private readonly flights = new SingleFlight<DomainId, void>();
  private readonly updates;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(MANAGED_ZONE) private readonly zone: ManagedZone,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
  ) {
    this.zoneName = settings.zoneUpdateZone ?? settings.serviceZone;
    this.updates = metrics.counter('postmesh_zone_updates_total', 'Updates of the managed zone', ['outcome']);
  }

  async onModuleInit(): Promise<void> {
    const { logger, zoneName } = this;
    const insert = () =>
      this.dataSource.query(
        `insert into zone_publication (zone, failures, next_at) values ($1, 0, now()) on conflict do nothing`,
        [zoneName],
      );
    await retryTransient(insert, { what: 'zone', logger });
  }

  /** Publishes the keys of a new domain in the background; the sweep retries a failure. */
  soon(domainId: DomainId): void {
    this.waitsBecause(domainId, 1).catch((error: unknown) =>
      this.logger.warn(
        { event: 'zone.publish_failed', domain_id: domainId, err: error },
        'publishing keys failed, will retry',
      ),
    );
  }

  /**
   * Publishes the due keys of the domain.
   * @param slot the slot of the key in question
   * @returns the reason why that key is not in the zone yet; undefined when it is, or when others publish it
   */
  async waitsBecause(domainId: DomainId, slot: DkimSlot): Promise<string | undefined> {
    if (!this.zone.isWritten) return undefined;
    if ((await this.waitingKeys(BATCH, domainId)).length === 0) return undefined;
    const problem = await this.problemUntilNextTry();
    if (problem !== undefined) return problem;
    await this.flights.run(domainId, async () => {
      await this.write({ keys: await this.waitingKeys(BATCH, domainId), withdrawn: [] });
    });
    const left = await this.waitingKeys(BATCH, domainId);
    if (!left.some((key) => key.slot === slot)) return undefined;
    return (await this.problemUntilNextTry()) ?? 'the zone update is under way';
  }

  /** Marks a key that resolvers miss as due, at most once in a while. */
  async writeAgain(domainId: DomainId, slot: DkimSlot): Promise<void> {
    await this.dataSource.query(
      `update dkim_keys set published_at = null where domain_id = $1 and slot = $2
          and published_at < now() - interval '${WRITE_AGAIN_AFTER}'`,
      [domainId, slot],
    );
  }

  /** After the zone was lost, or moved to another server. @returns the number of due keys */
  async writeAllAgain(): Promise<number> {
    await this.dataSource.query('update dkim_keys set published_at = null where published_at is not null');
    return (await this.status()).waiting;
  }

  /** Writes batches until nothing is due, the zone fails, or another process writes it. */
  @Periodic({ name: 'publish-aliases', everyMs: 60_000, timeoutMs: 120_000 })
  async sweep(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.claim())) {
      const batch = await this.nextBatch();
      const size = batch.keys.length + batch.withdrawn.length * 2;
      const written = await this.write(batch);
      if (!written || size < BATCH) return;
    }
  }

  async status(): Promise<PublicationStatus> {
    const [row] = await this.dataSource.query(
      `select z.problem, z.failing_since, case when z.problem is not null then z.next_at end as next_at,
              (select count(*)::int from alias_withdrawals) as to_withdraw,
              (select count(*)::int from dkim_keys k join domains d on d.id = k.domain_id
                where k.published_at is null and d.dns_mode = 'managed') as waiting
         from zone_publication z where z.zone = $1`,
      [this.zoneName],
    );
    const { isWritten } = this.zone;
    return {
      driver: isWritten ? 'dynamic-update' : 'pulled',
      zone: this.zoneName,
      waiting: isWritten ? row.waiting : 0,
      to_withdraw: row.to_withdraw,
      problem: row.problem,
      failing_since: row.failing_since?.toISOString() ?? null,
      next_at: row.next_at?.toISOString() ?? null,
    };
  }

  /** @returns whether an attempt is due; until the lease ends no other process makes one */
  private async claim(): Promise<boolean> {
    const [rows]: [unknown[], number] = await this.dataSource.query(
      `update zone_publication set next_at = now() + make_interval(secs => $2)
        where zone = $1 and next_at <= now() returning zone`,
      [this.zoneName, LEASE_S],
    );
    return rows.length > 0;
  }

  private async problemUntilNextTry(): Promise<string | undefined> {
    const [row]: { problem: string }[] = await this.dataSource.query(
      'select problem from zone_publication where zone = $1 and problem is not null and next_at > now()',
      [this.zoneName],
    );
    return row?.problem;
  }

  private async nextBatch(): Promise<Batch> {
    const rows: { domain_token: string }[] = await this.dataSource.query(
      `select domain_token from alias_withdrawals where created_at < now() - interval '${WITHDRAW_AFTER}'
        order by created_at limit $1`,
      [BATCH / 2],
    );
    // publications come before withdrawals
    const keys = this.zone.isWritten ? await this.waitingKeys(BATCH) : [];
    const withdrawn = rows.map(({ domain_token }) => domain_token);
    return { keys, withdrawn: withdrawn.slice(0, Math.floor((BATCH - keys.length) / 2)) };
  }

  private waitingKeys(limit: number, domainId: DomainId | null = null): Promise<WaitingKey[]> {
    return this.dataSource.query(
      `select k.id, k.slot, k.public_key as "publicKey", d.domain_token as token
         from dkim_keys k join domains d on d.id = k.domain_id
        where k.published_at is null and d.dns_mode = 'managed' and ($2::uuid is null or d.id = $2)
        order by k.created_at, k.id limit $1`,
      [limit, domainId],
    );
  }

  private async write(batch: Batch): Promise<boolean> {
    try {
      await this.zone.apply(this.changes(batch));
    } catch (error) {
      await this.recordFailure(error);
      return false;
    }
    await this.recordSuccess(batch);
    return true;
  }

  private changes({ keys, withdrawn }: Batch): AliasChange[] {
    const hosts = serviceHosts(this.settings.serviceZone);
    return [
      ...keys.map(({ token, slot, publicKey }) => ({
        name: dkimAlias(token, slot, hosts),
        text: dkimKeyRecord(publicKey),
      })),
      ...withdrawn.flatMap((token) =>
        ([1, 2] as const).map((slot) => ({ name: dkimAlias(token, slot, hosts), text: null })),
      ),
    ];
  }

  /** A key that was replaced meanwhile is another row, which is still due. */
  private async recordSuccess({ keys, withdrawn }: Batch): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('update dkim_keys set published_at = now() where id = any($1::uuid[])', [
        keys.map(({ id }) => id),
      ]);
      await tx.query('delete from alias_withdrawals where domain_token = any($1::text[])', [withdrawn]);
      await tx.query(
        `update zone_publication set failures = 0, problem = null, failing_since = null,
                -- the column is rounded to milliseconds: "now" could be in the future
                next_at = now() - interval '1 second'
          where zone = $1`,
        [this.zoneName],
      );
    });
    if (keys.length + withdrawn.length === 0) return;
    this.updates.inc({ outcome: 'written' });
    const line = { event: 'zone.updated', published: keys.length, withdrawn: withdrawn.length };
    this.logger.info(line, 'managed zone updated');
  }

  private async recordFailure(error: unknown): Promise<void> {
    const problem = error instanceof Error ? error.message : String(error);
    const [[row]]: [{ failures: number }[], number] = await this.dataSource.query(
      `update zone_publication set failures = failures + 1, problem = $2,
              failing_since = coalesce(failing_since, now())
        where zone = $1 returning failures`,
      [this.zoneName, problem],
    );
    const waitMs = backoffMs(row?.failures ?? 1, AFTER_FAILURE);
    await this.dataSource.query(
      'update zone_publication set next_at = now() + make_interval(secs => $2) where zone = $1',
      [this.zoneName, waitMs / 1_000],
    );
    this.updates.inc({ outcome: 'failed' });
    const line = {
      event: 'zone.update_failed',
      zone: this.zoneName,
      failures: row?.failures,
      waitMs,
      problem,
    };
    this.logger.warn(line, 'updating the managed zone failed, will retry');
  }
}
