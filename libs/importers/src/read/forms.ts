import { ApiError } from '@postmesh/contracts';
import type { RowForm } from '../sources/source.js';
import { rowsOf, type Row, type RowsFile } from './rows.js';

/**
 * The form of a file: the one that `--as` names, else the only one whose columns are all there. Never a guess between
 * two: a list of complaints can look like a list of unsubscribes.
 * @throws ApiError 400
 */
export async function formOf<Form extends RowForm>(
  file: RowsFile,
  forms: readonly Form[],
  as: string | undefined,
): Promise<Form> {
  const named = forms.filter(({ name }) => as === undefined || name === as);
  const known = forms.map(({ name }) => name).join(', ');
  if (named.length === 0) throw new ApiError(400, `--as is one of ${known}, not '${as}'`);
  const fitting: Form[] = [];
  let columns: readonly string[] = [];
  for (const form of named) {
    const first = await firstRow(file, form.rowsIn);
    if (!first) continue;
    columns = first.columns;
    if (form.needs.every((need) => first.value(need) !== undefined)) fitting.push(form);
  }
  const [form, ...others] = mostSpecific(fitting);
  if (form && others.length === 0) return form;
  if (form) {
    const names = [form, ...others].map(({ name }) => name).join(' or ');
    throw new ApiError(400, `the file may be ${names}: say which with --as`);
  }
  if (columns.length === 0) throw new ApiError(400, 'the file has no rows');
  const wanted = named.map(({ name, needs }) => `${name}: ${needs.join(', ')}`).join('; ');
  throw new ApiError(400, `the file has the columns ${columns.join(', ')}; needed are, for ${wanted}`);
}

/** The one whose columns include those of each other, and more; else all. */
function mostSpecific<Form extends RowForm>(fitting: readonly Form[]): Form[] {
  const covers = (form: Form, other: Form) =>
    form === other ||
    (form.needs.length > other.needs.length && other.needs.every((need) => form.needs.includes(need)));
  const most = fitting.find((form) => fitting.every((other) => covers(form, other)));
  return most ? [most] : [...fitting];
}

async function firstRow(file: RowsFile, rowsIn: readonly string[] | undefined): Promise<Row | undefined> {
  for await (const row of rowsOf(file, rowsIn)) if (row.problem === undefined) return row;
  return undefined;
}
