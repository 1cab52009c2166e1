import { ApiError } from '@postmesh/contracts';
import { formsOf } from '../read/forms.js';
import { cellsRow } from '../read/rows.js';
import type { Source } from '../sources/source.js';
import { SOURCES, type SourceName } from '../sources/sources.js';
import { readSuppression } from './suppression-rows.rules.js';

/** Rows that the export of another service has, as cells. */
export interface ForeignRows {
  readonly service: SourceName;
  /** its form, where the columns do not decide */
  readonly form: string | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface TranslatedSuppressions {
  /** the form of the rows; several: nothing is translated before one of them is named */
  forms: string[];
  entries: { position: number; email: string; reason: string; created_at?: string }[];
  errors: { position: number; reason: string }[];
}

/** By the tables of the importers, without any effect. @throws ApiError 400 for rows of no known form */
export function translateSuppressions({
  service,
  form: as,
  columns,
  rows,
}: ForeignRows): TranslatedSuppressions {
  const { title, suppressions, without }: Source = SOURCES[service];
  if (suppressions.length === 0)
    throw new ApiError(400, without.suppressions ?? `${title} has no suppressions`);
  const [form, ...others] = formsOf(cellsRow(columns, rows[0] ?? [], 1), suppressions, as);
  const made: TranslatedSuppressions = { forms: [], entries: [], errors: [] };
  if (!form || others.length > 0)
    return { ...made, forms: [form, ...others].flatMap((one) => one?.name ?? []) };
  const about = { form, title, domain: undefined, now: new Date() };
  rows.forEach((cells, position) => {
    const read = readSuppression(cellsRow(columns, cells, position + 1), about);
    if (read.kind === 'suppression') made.entries.push({ position, ...read.entry });
    else {
      const reason = read.kind === 'none' ? `no suppression in ${title}` : read.reason;
      made.errors.push({ position, reason });
    }
  });
  return { ...made, forms: [form.name] };
}
