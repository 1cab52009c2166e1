import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { Periodic } from '@postmesh/work';
import {
  IMPORT_SWEEPS,
  ImportProblem,
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
import { isPresent, requirePresent } from '../../account-changes/deleted-accounts.js';
import { insertMembers } from '../../lists/add-contacts.js';
import { ListsRepository } from '../../lists/lists.repository.js';
import { ApplyContacts } from '../apply-contacts.js';
import { AttributeDefinitions } from '../attributes/attribute-definitions.js';
import { MAX_LINE_BYTES, readContactColumns, readContactLines } from './contact-lines.rules.js';

// a million contacts with attributes fit into it
const LIMITS = { bytes: 500_000_000, lines: 1_000_000, lineBytes: MAX_LINE_BYTES, chunkLines: 1_000 };

const TABLES = {
  prefix: 'contact',
  counters: ['created', 'updated', 'unchanged', 'listed'],
  own: ['list_id'],
} as const;
type Counter = (typeof TABLES.counters)[number];
type Own = (typeof TABLES.own)[number];
export type ContactImport = LineImport<Counter, Own>;

export interface ContactUpload extends UploadedFile {
  accountId: AccountId;
  operator: string;
  /** the list that all of them are added to */
  listId: string | null;
}

/** Files of contacts: each line is an entry of a batch, in the order of the file (ADR 52). */
@Injectable()
export class ContactImports implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly rows: ImportRows<Counter, Own>;
  private readonly runs: ImportRuns<Counter, Own, undefined>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly definitions: AttributeDefinitions,
    private readonly applying: ApplyContacts,
    private readonly lists: ListsRepository,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.rows = new ImportRows(dataSource, TABLES);
    this.runs = new ImportRuns({ dataSource, logger }, this.rows, {
      event: 'contact_import',
      prepare: async () => undefined,
      work: (tx, given, chunk) => this.workOff(tx, given, chunk),
    });
  }

  onApplicationBootstrap(): void {
    this.runs.wake();
  }

  @Periodic({ name: 'contact-imports', ...IMPORT_SWEEPS })
  sweep(): Promise<void> {
    return this.runs.sweep();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.runs.stop();
  }

  /** @throws ApiError 400, 401, 404, 409 or 413; nothing is stored then */
  async upload({ listId, ...upload }: ContactUpload): Promise<ContactImport | undefined> {
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, upload.accountId);
      if (listId !== null) await this.lists.hold(tx, upload.accountId, listId);
    });
    const types = await this.definitions.types(upload.accountId);
    const stored = await storeUpload(this.rows, {
      ...upload,
      own: { list_id: listId },
      readColumns: (line, delimiter) => readContactColumns(line, types, delimiter),
      limits: LIMITS,
    });
    this.runs.wake();
    return stored;
  }

  private async workOff(
    tx: EntityManager,
    { accountId, format, columns, linesDone, own }: ContactImport,
    chunk: LineChunk,
  ): Promise<BatchResult<Counter, Own>> {
    if (!(await isPresent(tx, accountId))) throw new ImportProblem('the account was deleted');
    if (own.list_id !== null) await this.holdList(tx, accountId, own.list_id);
    const types = await this.definitions.types(accountId, tx);
    const { entries, errors, next } = readContactLines({ format, columns, types }, chunk, linesDone);
    const applied = await this.applying.execute(tx, accountId, entries, 'import');
    const created = applied.filter(({ outcome }) => outcome === 'created').length;
    const changed = applied.filter(({ isChanged }) => isChanged).length;
    const contacts = [...new Map(applied.map(({ contact }) => [contact.id, contact])).values()];
    const listed =
      own.list_id === null ? 0 : (await insertMembers(tx, { accountId, listId: own.list_id, contacts })).size;
    const counts = {
      created,
      updated: changed - created,
      unchanged: applied.length - changed,
      listed,
    };
    return { next, counts, errors };
  }

  /** Locks the list before the contacts, like every transaction that adds to a list. */
  private async holdList(tx: EntityManager, accountId: AccountId, listId: string): Promise<void> {
    await this.lists.hold(tx, accountId, listId).catch((error: unknown) => {
      throw error instanceof ApiError ? new ImportProblem('the list was deleted') : error;
    });
  }
}
