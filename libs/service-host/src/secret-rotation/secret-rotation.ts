import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { DebouncedTask, pause } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { SecretBox, type PepperedColumn, type SealedColumn } from '@postmesh/secrets';
import { countPeppered, countSealed, countUnreadable, resealBatch, type CountsByKey } from './sealed-rows.js';

/** The columns of a service that depend on POSTMESH_SECRET_KEYS. */
export interface SecretColumns {
  readonly sealed?: readonly SealedColumn[];
  readonly peppered?: readonly PepperedColumn[];
}

/** State of one kind of secret. */
export interface SecretCounts {
  kind: string;
  /** number under the current key */
  current: number;
  /** number under an older key that is listed, or an unknown one */
  older: number;
  /** number that no listed key opens: lost already, whichever key is removed */
  unreadable: number;
  /** `rotating`: requested and not done; `at next use`: hashes, which are renewed when their secret is shown */
  state: 'current' | 'rotating' | 'to rotate' | 'at next use';
}

export interface SecretsStatus {
  /** of POSTMESH_SECRET_KEYS of this process, the current one first */
  keyIds: readonly string[];
  secrets: SecretCounts[];
}

export interface SecretRotationParts {
  dataSource: DataSource;
  columns: SecretColumns;
  secretKeys: readonly string[];
  logger: Logger;
}

// Other transactions lock a row for a moment; a run that repeatedly finds locked rows leaves them to the next run.
const MAX_PASSES = 20;
const PASS_PAUSE_MS = 250;
// A status reads at most this many stale secrets; more than these wait for a rotation anyhow.
const MAX_TRIED = 1_000;
// rows that no key opens, in the log
const MAX_NAMED = 10;

/**
 * Seals the secrets of older keys of POSTMESH_SECRET_KEYS with the current one. A request is a row per kind, and the
 * remaining work follows from the secrets themselves: after a kill at any moment, the next run continues with the rest.
 */
export class SecretRotation implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly box: SecretBox;
  private readonly sealed: readonly SealedColumn[];
  private readonly task: DebouncedTask;

  constructor(private readonly parts: SecretRotationParts) {
    this.box = new SecretBox(parts.secretKeys);
    this.sealed = parts.columns.sealed ?? [];
    this.task = new DebouncedTask(
      (signal) => this.run(signal),
      (error) =>
        parts.logger.error(
          { event: 'secret_rotation.failed', err: error },
          'secret rotation failed, will retry',
        ),
    );
  }

  onApplicationBootstrap(): void {
    // the rest of a killed process continues now and not with the next run of the job
    this.task.trigger();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  async status(): Promise<SecretsStatus> {
    const { dataSource, columns } = this.parts;
    const open = await this.openRequests();
    const secrets: SecretCounts[] = [];
    // one after another: counting is no reason to take the connections of requests
    for (const column of this.sealed) secrets.push(await this.countsOf(column, open.has(column.kind)));
    for (const column of columns.peppered ?? []) {
      secrets.push(this.peppered(column.kind, await countPeppered(dataSource, column)));
    }
    return { keyIds: this.box.keyIds, secrets };
  }

  /** Requests that everything is sealed with this process's current key. A repeated request changes nothing. */
  async request(): Promise<void> {
    await this.parts.dataSource.query(
      `insert into secret_rotations (kind, key_ids, requested_at)
       select kind, $2::text[], now() from unnest($1::text[]) kind
       on conflict (kind) do update
         set key_ids = excluded.key_ids, requested_at = excluded.requested_at, finished_at = null
         where secret_rotations.finished_at is not null or secret_rotations.key_ids <> excluded.key_ids`,
      [this.sealed.map(({ kind }) => kind), this.box.keyIds],
    );
    this.task.trigger();
  }

  /**
   * Runs the requested rotations that this process may run: a process whose settings have another current key, or lack
   * a key of the process that took the request, leaves it to the others.
   */
  @Periodic({ name: 'secret-rotation', everyMs: 300_000, timeoutMs: 300_000 })
  async run(signal: AbortSignal): Promise<void> {
    const open = await this.openRequests();
    for (const column of this.sealed) {
      const request = open.get(column.kind);
      if (request?.mine && !signal.aborted) await this.rotate(column, request.requested_at, signal);
    }
  }

  private async rotate(column: SealedColumn, requestedAt: Date, signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    let resealed = 0;
    for (let pass = 0; pass < MAX_PASSES && !signal.aborted; pass += 1) {
      const done = await this.pass(column, signal);
      resealed += done.resealed;
      if (signal.aborted) return;
      if (done.unreadable >= (await this.countStale(column))) {
        await this.finish(column, requestedAt);
        const facts = {
          kind: column.kind,
          ...done,
          resealed,
          took_ms: Math.round(performance.now() - begun),
        };
        this.parts.logger.info({ event: 'secret_rotation.finished', ...facts }, 'secrets rotated');
        return;
      }
      await pause(PASS_PAUSE_MS, signal);
    }
  }

  /** One pass over everything that is not under the current key. */
  private async pass(column: SealedColumn, signal: AbortSignal) {
    const unreadableRows: string[][] = [];
    let unreadable = 0;
    let resealed = 0;
    let after: string[] | undefined;
    do {
      const batch = await resealBatch(this.parts.dataSource, column, { box: this.box, after });
      resealed += batch.resealed;
      unreadable += batch.unreadable.length;
      if (unreadableRows.length < MAX_NAMED) unreadableRows.push(...batch.unreadable.slice(0, MAX_NAMED));
      after = batch.last;
    } while (after !== undefined && !signal.aborted);
    return { resealed, unreadable, unreadable_rows: unreadableRows };
  }

  private async finish({ kind }: SealedColumn, requestedAt: Date): Promise<void> {
    await this.parts.dataSource.query(
      'update secret_rotations set finished_at = now() where kind = $1 and requested_at = $2',
      [kind, requestedAt],
    );
  }

  /** By kind. `mine`: this process seals with the requested key and opens the same keys as the requesting process. */
  private async openRequests(): Promise<Map<string, { mine: boolean; requested_at: Date }>> {
    const rows: { kind: string; requested_at: Date; mine: boolean }[] = await this.parts.dataSource.query(
      `select kind, requested_at, key_ids[1] = $1 and key_ids <@ $2::text[] as mine
       from secret_rotations where finished_at is null`,
      [this.box.keyIds[0], this.box.keyIds],
    );
    return new Map(rows.map(({ kind, ...request }) => [kind, request]));
  }

  private async countStale(column: SealedColumn): Promise<number> {
    const { older, unlisted } = this.grouped(await countSealed(this.parts.dataSource, column));
    return older + unlisted;
  }

  private async countsOf(column: SealedColumn, requested: boolean): Promise<SecretCounts> {
    const { dataSource } = this.parts;
    const { current, older, unlisted } = this.grouped(await countSealed(dataSource, column));
    const stale = older + unlisted;
    const tried = { box: this.box, limit: MAX_TRIED };
    const unreadable =
      stale === 0 || stale > MAX_TRIED ? unlisted : await countUnreadable(dataSource, column, tried);
    const left = Math.max(stale - unreadable, 0);
    const state = requested ? 'rotating' : left > 0 ? 'to rotate' : 'current';
    return { kind: column.kind, current, older: left, unreadable, state };
  }

  private peppered(kind: string, counts: CountsByKey): SecretCounts {
    const { current, older, unlisted: unreadable } = this.grouped(counts);
    // where only one key is listed, a hash that does not name its key can be under no other
    if (this.box.keyIds.length === 1)
      return { kind, current: current + older, older: 0, unreadable, state: 'current' };
    return { kind, current, older, unreadable, state: older > 0 ? 'at next use' : 'current' };
  }

  private grouped(counts: CountsByKey): { current: number; older: number; unlisted: number } {
    const [currentId = '', ...olderIds] = this.box.keyIds;
    const sum = { current: 0, older: 0, unlisted: 0 };
    for (const [id, count] of counts) {
      if (id === currentId) sum.current += count;
      else if (id === '' || olderIds.includes(id)) sum.older += count;
      else sum.unlisted += count;
    }
    return sum;
  }
}
