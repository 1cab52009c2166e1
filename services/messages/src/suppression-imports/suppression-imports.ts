import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { Periodic } from '@postmesh/work';
import {
  IMPORT_SWEEPS,
  ImportRows,
  ImportRuns,
  storeUpload,
  type BatchResult,
  type LineChunk,
  type LineImport,
  type UploadedFile,
} from '@postmesh/line-imports';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { AccountDomains } from '../suppressions/account-domains.js';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import { noDomains } from '../suppressions/suppression.schema.js';
import { MAX_LINE_BYTES, readColumns, takeBatch } from './import-lines.rules.js';

// How long the names of domains are cached, over several batches.
const DOMAINS_FOR_MS = 10_000;
const MAX_REMEMBERED = 1_000;

const LIMITS = { bytes: 200_000_000, lines: 1_000_000, lineBytes: MAX_LINE_BYTES, chunkLines: 500 };

const TABLES = {
  prefix: 'suppression',
  counters: ['created', 'extended', 'unchanged'],
  own: ['after_domain'],
} as const;
type Counter = (typeof TABLES.counters)[number];
type Own = (typeof TABLES.own)[number];
export type SuppressionImport = LineImport<Counter, Own>;

export interface SuppressionUpload extends UploadedFile {
  accountId: AccountId;
  operator: string;
}

/** Imports of suppression lists from other systems (architecture §5.4). */
@Injectable()
export class SuppressionImports implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly rows: ImportRows<Counter, Own>;
  private readonly runs: ImportRuns<Counter, Own, readonly string[]>;
  private readonly domainsOf = new Map<AccountId, { names: string[]; until: number }>();

  constructor(
    dataSource: DataSource,
    private readonly domains: AccountDomains,
    private readonly addSuppressions: AddSuppressions,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.rows = new ImportRows(dataSource, TABLES);
    this.runs = new ImportRuns({ dataSource, logger }, this.rows, {
      event: 'suppression_import',
      prepare: (accountId) => this.namesOf(accountId),
      work: (tx, given, chunk, domains) => this.workOff(tx, given, chunk, domains),
    });
  }

  onApplicationBootstrap(): void {
    this.runs.wake();
  }

  @Periodic({ name: 'suppression-imports', ...IMPORT_SWEEPS })
  sweep(): Promise<void> {
    return this.runs.sweep();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.runs.stop();
  }

  /** @throws ApiError 400, 409 or 413; nothing is stored then */
  async upload(upload: SuppressionUpload): Promise<SuppressionImport | undefined> {
    if ((await this.domains.all(upload.accountId)).length === 0) throw noDomains();
    const stored = await storeUpload(this.rows, { ...upload, readColumns, limits: LIMITS });
    this.runs.wake();
    return stored;
  }

  private async workOff(
    tx: EntityManager,
    { accountId, format, columns, createdAt, linesDone, own }: SuppressionImport,
    chunk: LineChunk,
    domains: readonly string[],
  ): Promise<BatchResult<Counter, Own>> {
    const about = { accountId, format, columns, importedAt: createdAt };
    const position = { line: linesDone, afterDomain: own.after_domain ?? '' };
    const { causes, errors, next } = takeBatch(about, chunk, position, domains);
    const changed = await this.addSuppressions.execute(tx, causes);
    const created = changed.filter(({ kind }) => kind === 'created').length;
    const counts = {
      created,
      extended: changed.length - created,
      unchanged: causes.length - changed.length,
    };
    return { next: next.line, counts, errors, own: { after_domain: next.afterDomain } };
  }

  /** Ascending, the order of positions within a line. */
  private async namesOf(accountId: AccountId): Promise<readonly string[]> {
    const now = performance.now();
    const known = this.domainsOf.get(accountId);
    if (known && known.until > now) return known.names;
    const names = (await this.domains.all(accountId)).toSorted();
    if (this.domainsOf.size >= MAX_REMEMBERED) this.domainsOf.clear();
    this.domainsOf.set(accountId, { names, until: now + DOMAINS_FOR_MS });
    return names;
  }
}
