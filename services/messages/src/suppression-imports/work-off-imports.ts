import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask, pause } from '@postmesh/concurrency';
import { failureKind, type AccountId } from '@postmesh/contracts';
import type { Jobs } from '@postmesh/jobs';
import type { Logger } from '@postmesh/observability';
import { JOBS, LOGGER } from '@postmesh/service-host';
import { AccountDomains } from '../suppressions/account-domains.js';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import { takeBatch } from './import-lines.rules.js';
import { ImportsRepository, type BatchResult, type SuppressionImport } from './imports.repository.js';

// Finds what a killed process left, and what another process stored.
const EVERY_MS = 15_000;
// A run ends after this long; the next one goes on.
const RUN_MS = 300_000;
// The database belongs to the mail: an import takes at most half of the time.
const MAX_PAUSE_MS = 2_000;
// Names of domains that are read once for so many turns.
const DOMAINS_FOR_MS = 10_000;

const UPLOAD_HOURS = 1;
const KEEP_DAYS = 30;

const WORK = { queue: 'messages', name: 'suppression-imports', everyMs: EVERY_MS, timeoutMs: 600_000 };

/**
 * Works off imports in batches. How far one has come is committed with its effect, so after a crash it goes on where it
 * was and no line counts twice.
 */
@Injectable()
export class WorkOffImports implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly domainsOf = new Map<AccountId, { names: string[]; until: number }>();
  private readonly working = new DebouncedTask(
    (signal) => this.workOff(signal),
    (error) =>
      this.logger.warn({ event: 'suppression_import.put_off', err: error }, 'imports wait for the next run'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly imports: ImportsRepository,
    private readonly domains: AccountDomains,
    private readonly addSuppressions: AddSuppressions,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(WORK, () => this.sweep());
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.working.stop();
  }

  /** An import was stored: begin now. What fails is left to the periodic run. */
  wake(): void {
    this.working.trigger();
  }

  private async sweep(): Promise<void> {
    this.wake();
    await this.working.settled();
    for (const id of await this.imports.outdated(UPLOAD_HOURS, KEEP_DAYS)) await this.imports.remove(id);
  }

  /** Turn by turn, the accounts one after another. @throws Transient when the domains service is away */
  private async workOff(signal: AbortSignal): Promise<void> {
    const until = performance.now() + RUN_MS;
    while (performance.now() < until && !signal.aborted) {
      const next = await this.imports.nextTurn();
      if (!next) break;
      const began = performance.now();
      const worked = await this.takeTurn(next);
      await pause(worked ? Math.min(MAX_PAUSE_MS, performance.now() - began) : MAX_PAUSE_MS, signal);
    }
    this.domainsOf.clear();
  }

  /** @returns false when another process works on it */
  private async takeTurn({ id, accountId }: { id: string; accountId: AccountId }): Promise<boolean> {
    try {
      const domains = await this.namesOf(accountId);
      const left = await this.dataSource.transaction((tx) => this.workOffBatch(tx, id, domains));
      if (left === 0) {
        const about = { event: 'suppression_import.done', import_id: id, account_id: accountId };
        this.logger.info(about, 'import of suppressions done');
      }
      return left !== undefined;
    } catch (error) {
      if (failureKind(error) === 'transient') throw error;
      // it would fail for ever and keep others from their turn
      this.logger.error({ event: 'suppression_import.failed', err: error, import_id: id }, 'import given up');
      await this.imports.fail(id, 'internal error, see the log');
      return true;
    }
  }

  /** @returns how many lines are left; undefined when it is not ours to work on */
  private async workOffBatch(
    tx: EntityManager,
    id: string,
    domains: readonly string[],
  ): Promise<number | undefined> {
    const given = await this.imports.claim(tx, id);
    if (!given) return undefined;
    const chunk = await this.imports.chunkAt(tx, id, given.linesDone);
    if (!chunk) throw new Error('lines of an import are missing');
    const position = { line: given.linesDone, afterDomain: given.afterDomain };
    const { causes, errors, next } = takeBatch(aboutOf(given), chunk, position, domains);
    const changed = await this.addSuppressions.execute(tx, causes);
    const created = changed.filter(({ kind }) => kind === 'created').length;
    const result: BatchResult = {
      next,
      created,
      extended: changed.length - created,
      unchanged: causes.length - changed.length,
      errors,
    };
    await this.imports.advance(tx, given, result);
    return given.lines - next.line;
  }

  /** Ascending, as the batches count on. */
  private async namesOf(accountId: AccountId): Promise<readonly string[]> {
    const now = performance.now();
    const known = this.domainsOf.get(accountId);
    if (known && known.until > now) return known.names;
    const names = (await this.domains.all(accountId)).toSorted();
    this.domainsOf.set(accountId, { names, until: now + DOMAINS_FOR_MS });
    return names;
  }
}

const aboutOf = ({ accountId, format, columns, createdAt }: SuppressionImport) => ({
  accountId,
  format,
  columns,
  importedAt: createdAt,
});
