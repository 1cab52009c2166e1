import { Controller, Get, Injectable, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import type { AccountId } from '@postmesh/contracts';
import { csvRecord, IMPORT_FORMATS } from '@postmesh/line-imports';
import { decodeCursor, encodeCursor, placeOf, type SortKey } from '@postmesh/http';
import { Internal, query, uuidParam } from '@postmesh/service-host';
import { AttributeDefinitions } from '../attributes/attribute-definitions.js';
import { contactFieldNames, type ContactFieldName } from '../contact-fields.table.js';
import { CONTACT_COLUMNS, contactResource, type Contact } from '../contact.js';
import type { Frequency } from '../../preferences/frequency.js';
import { ATTRIBUTE_COLUMN, FREQUENCY_COLUMN } from '../imports/contact-lines.rules.js';

const MAX_PAGE = 5_000;

const ExportQuery = z.object({
  format: z.enum(IMPORT_FORMATS).default('csv'),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(MAX_PAGE),
  after: z.string().optional(),
  /** keys of attributes with a column of their own: those of the first page, so that all pages have the same ones */
  keys: z.string().optional(),
});
type ExportQuery = z.infer<typeof ExportQuery>;

interface ExportPage {
  /** lines, each with its line feed; the first page of CSV begins with the names of the columns */
  text: string;
  contacts: number;
  /** number of contacts of the account; on the first page only */
  total?: number;
  keys: string[];
  /** null: this was the last page */
  next: string | null;
}

interface ExportedRow extends Contact {
  readonly frequency: Frequency | null;
}

// In CSV created_at and id come last, and updated_at is left out.
const ROW_FIELDS: readonly ContactFieldName[] = ['id', 'created_at', 'updated_at'];
const FIELDS = [
  ...contactFieldNames('shown').filter((name) => !ROW_FIELDS.includes(name)),
  FREQUENCY_COLUMN,
  'created_at',
  'id',
] as const;

/**
 * Contacts page by page, the oldest first, so that a new one is on a later page. The client keeps the cursor and can
 * continue from it.
 */
@Injectable()
export class ContactExport {
  constructor(
    private readonly dataSource: DataSource,
    private readonly definitions: AttributeDefinitions,
  ) {}

  /** @throws ApiError 400 for an invalid cursor */
  async page(accountId: AccountId, given: ExportQuery): Promise<ExportPage> {
    const after = given.after === undefined ? undefined : decodeCursor(given.after);
    const keys = await this.keysOf(accountId, given);
    const rows = await this.rows(accountId, after, given.limit);
    const last = rows.length === given.limit ? rows.at(-1) : undefined;
    const lines = rows.map((row) =>
      given.format === 'csv' ? csvLine(row, keys) : JSON.stringify(exportedContact(row)),
    );
    const head = given.format === 'csv' && !after ? [headLine(keys)] : [];
    return {
      text: [...head, ...lines].map((line) => `${line}\n`).join(''),
      contacts: rows.length,
      ...(after ? {} : { total: await this.count(accountId) }),
      keys,
      next: last ? encodeCursor({ createdAtMicros: last.created_at.getTime() * 1_000, id: last.id }) : null,
    };
  }

  private async keysOf(accountId: AccountId, { keys }: ExportQuery): Promise<string[]> {
    if (keys !== undefined) return keys === '-' ? [] : keys.split(',');
    return (await this.definitions.list(accountId)).map(({ key }) => key);
  }

  private rows(accountId: AccountId, after: SortKey | undefined, limit: number): Promise<ExportedRow[]> {
    const place = after ? placeOf(after) : { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
    return this.dataSource.query(
      `select ${CONTACT_COLUMNS}, (select f.frequency from contact_frequencies f where f.contact_id = contacts.id) as frequency
       from contacts where account_id = $1 and (created_at, id) > ($2::timestamptz, $3::uuid)
       order by created_at, id limit $4`,
      [accountId, place.at, place.id, limit],
    );
  }

  private async count(accountId: AccountId): Promise<number> {
    const [row]: { count: number }[] = await this.dataSource.query(
      'select count(*)::float8 as count from contacts where account_id = $1',
      [accountId],
    );
    return row?.count ?? 0;
  }
}

function headLine(keys: readonly string[]): string {
  const attributes = [...keys.map((key) => ATTRIBUTE_COLUMN + key), 'attributes'];
  return csvRecord(FIELDS.flatMap((name) => (name === 'attributes' ? attributes : [name])));
}

const exportedContact = (row: ExportedRow) => ({
  ...contactResource(row),
  [FREQUENCY_COLUMN]: row.frequency ?? 'every',
});

function csvLine(row: ExportedRow, keys: readonly string[]): string {
  const contact = exportedContact(row);
  const attributes = attributeCells(contact.attributes, keys);
  return csvRecord(FIELDS.flatMap((name) => (name === 'attributes' ? attributes : [cell(contact[name])])));
}

/** Values without a column of their own, of attributes without a definition, follow together as JSON. */
function attributeCells(attributes: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  const others = Object.entries(attributes).filter(([key]) => !keys.includes(key));
  return [
    ...keys.map((key) => cell(Object.hasOwn(attributes, key) ? attributes[key] : null)),
    others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others)),
  ];
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Exports of contacts, for operators (architecture §5.4). */
@Internal()
@Controller('operator/accounts/:account_id/contact-export')
export class OperatorContactExportController {
  constructor(private readonly exporting: ContactExport) {}

  @Get()
  page(
    @uuidParam('account_id') accountId: AccountId,
    @Query(query(ExportQuery)) given: ExportQuery,
  ): Promise<object> {
    return this.exporting.page(accountId, given);
  }
}
