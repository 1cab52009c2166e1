import { z } from 'zod';
import { formsOf } from './forms.js';
import { cellsRow, type Row } from './rows.js';
import type { RowForm } from '../sources/source.js';
import { SOURCE_NAMES, type SourceName } from '../sources/sources.js';

/** The most rows of one request. */
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 200;

const cells = z.array(z.string()).max(MAX_COLUMNS);

/** Rows that another service exported, as a browser read them out of a file: fields of a request. */
export const FOREIGN_ROWS = {
  service: z
    .enum(SOURCE_NAMES as [SourceName, ...SourceName[]])
    .meta({ description: 'The service that exported the rows.' }),
  form: z
    .string()
    .nullish()
    .meta({ description: 'Which of its files this is, where the columns fit several.' }),
  columns: cells.min(1),
  rows: z
    .array(cells)
    .min(1)
    .max(MAX_ROWS)
    .meta({ description: 'Their cells; an object in a cell is JSON.' }),
} as const;

const ForeignRowsBody = z.object(FOREIGN_ROWS);
export type ForeignRows = z.infer<typeof ForeignRowsBody>;

/** The rows with the form that they have, or the names of all that they may have. @throws ApiError 400 for none */
export function foreignRows<Form extends RowForm>(
  { form: as, columns, rows }: Omit<ForeignRows, 'service'>,
  forms: readonly Form[],
): { names: string[]; form?: Form; rows: Row[] } {
  const fitting = formsOf(cellsRow(columns, rows[0] ?? [], 1), forms, as ?? undefined);
  const names = fitting.map(({ name }) => name);
  const [form, ...others] = fitting;
  if (!form || others.length > 0) return { names, rows: [] };
  return { names, form, rows: rows.map((row, position) => cellsRow(columns, row, position + 1)) };
}
