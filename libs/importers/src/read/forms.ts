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
  const named = namedForms(forms, as);
  const fitting: Form[] = [];
  let columns: readonly string[] = [];
  for (const form of named) {
    const first = await firstRow(file, form.rowsIn);
    if (!first) continue;
    columns = first.columns;
    if (fits(form, first)) fitting.push(form);
  }
  const [form, ...others] = mostSpecific(fitting);
  if (form && others.length === 0) return form;
  if (form) {
    const names = [form, ...others].map(({ name }) => name).join(' or ');
    throw new ApiError(400, `the file may be ${names}: say which with --as`);
  }
  if (columns.length === 0) throw new ApiError(400, 'the file has no rows');
  throw noForm(columns, named);
}

/**
 * The forms that a row may have: the only one, or those between which its columns do not decide.
 * @throws ApiError 400 for none
 */
export function formsOf<Form extends RowForm>(
  row: Row,
  forms: readonly Form[],
  as: string | undefined,
): Form[] {
  const named = namedForms(forms, as);
  const fitting = mostSpecific(named.filter((form) => fits(form, row)));
  if (fitting.length === 0) throw noForm(row.columns, named);
  return fitting;
}

function namedForms<Form extends RowForm>(forms: readonly Form[], as: string | undefined): Form[] {
  const named = forms.filter(({ name }) => as === undefined || name === as);
  const known = forms.map(({ name }) => name).join(', ');
  if (named.length === 0) throw new ApiError(400, `--as is one of ${known}, not '${as}'`);
  return named;
}

const fits = (form: RowForm, row: Row): boolean => form.needs.every((need) => row.value(need) !== undefined);

function noForm(columns: readonly string[], forms: readonly RowForm[]): ApiError {
  const wanted = forms.map(({ name, needs }) => `${name}: ${needs.join(', ')}`).join('; ');
  return new ApiError(400, `the file has the columns ${columns.join(', ')}; needed are, for ${wanted}`);
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
