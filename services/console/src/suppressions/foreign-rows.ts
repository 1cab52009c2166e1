import { back, read } from '../api/client';
import type { components } from '../api/generated/console';
import type { Rejected, Table } from '../imports/file-table.rules';
import type { Defaults, SuppressionRow } from './suppression-rows.rules';

/** The most rows of one request. */
const BATCH = 1_000;

type Service = components['schemas']['SuppressionBatchesTranslateBody']['service'];

/** The rows of a file of another service, in our form. */
export interface Translated {
  /** several: the columns are those of each of them, and one has to be chosen */
  readonly forms: readonly string[];
  readonly good: readonly SuppressionRow[];
  readonly rejected: readonly Rejected[];
}

/** The server reads them by the tables of the importers. Empty columns are those of a file without rows. */
export async function translateRows(
  { columns, rows, lines, rejected: unread }: Table,
  { service, form, repeated }: { service: string; form: string | undefined; repeated: string },
): Promise<Translated> {
  const good: SuppressionRow[] = [];
  const rejected = [...unread];
  const seen = new Set<string>();
  let named = form;
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH).map((row) => [...row]);
    const body = {
      service: service as Service,
      columns: [...columns],
      rows: batch,
      ...(named !== undefined && { form: named }),
    };
    const answer = await read(back.POST('/console/api/suppression-batches/translation', { body }));
    if (answer.forms.length > 1) return { forms: answer.forms, good: [], rejected };
    named = answer.forms[0];
    const lineOf = (position: number) => lines[from + position] ?? 0;
    for (const { position, ...entry } of answer.entries) {
      if (seen.has(entry.email))
        rejected.push({ line: lineOf(position), email: entry.email, reason: repeated });
      else good.push({ line: lineOf(position), entry });
      seen.add(entry.email);
    }
    for (const { position, reason } of answer.errors)
      rejected.push({ line: lineOf(position), email: '', reason });
  }
  return { forms: named === undefined ? [] : [named], good, rejected };
}

/** With the domain that all of them get. */
export const inDomain = (rows: readonly SuppressionRow[], { domain }: Defaults): SuppressionRow[] =>
  rows.map(({ line, entry }) => ({ line, entry: { ...entry, ...(domain !== '' && { domain }) } }));
