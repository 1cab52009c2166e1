type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/**
 * A column of an insert: its SQL type, with the rule that reads its value from a row; the type alone is enough when
 * the row has a property of the column's name in camelCase (`account_id` ← `accountId`).
 */
export type InsertColumn<Row, Name extends string> =
  | readonly [type: string, value: (row: Row) => unknown]
  | (CamelCase<Name> extends keyof Row ? string : never);

export interface InsertOptions {
  /** what follows `on conflict`: `do nothing`, or `(account_id) do update set state = excluded.state` */
  onConflict?: string;
  /** what follows `returning`: `id, attempts as "attempts"` */
  returning?: string;
}

/** An EntityManager, a DataSource or a QueryRunner. */
interface Queryable {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/**
 * Inserts rows with one statement, however many: one array per column, unnested. The text does not depend on the
 * number of rows (it is prepared once), and the limit of 65,535 parameters does not apply. Callers still bound the
 * rows: a statement of tens of megabytes is slow and blocks others.
 *
 * ```ts
 * await insertRows(tx, 'deliveries', { id: 'uuid', due_at: 'timestamptz', state: ['text', () => 'waiting'] }, rows, {
 *   onConflict: 'do nothing',
 * });
 * ```
 *
 * Values by type: `jsonb` takes any value, as JSON (`null` and `undefined` are SQL's NULL in every column); `text[]` and
 * other arrays take arrays of one dimension; `bytea` takes a Buffer, `timestamptz` a Date or a text.
 * Rows are written in their order. An empty list is no statement.
 *
 * @param table and column names reach the SQL text: constants of ours, never input
 * @returns what `returning` names; without it nothing
 */
export async function insertRows<Row, Name extends string, Returned = unknown>(
  manager: Queryable,
  table: string,
  columns: { readonly [N in Name]: InsertColumn<Row, N> },
  rows: readonly Row[],
  options: InsertOptions = {},
): Promise<Returned[]> {
  if (rows.length === 0) return [];
  const insert = preparedInsert<Row>(table, columns, options);
  const values = insert.columns.map(({ type, read }) =>
    arrayLiteral(rows.map((row) => encoded(read(row), type))),
  );
  return (await manager.query(insert.sql, values)) as Returned[];
}

interface PreparedInsert<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sql: string;
}

// By the object of the columns, which callers keep as a constant: its 20 columns cost 25 µs, more than a small insert.
const PREPARED = new WeakMap<object, Map<string, PreparedInsert<never>>>();

function preparedInsert<Row>(table: string, columns: object, options: InsertOptions): PreparedInsert<Row> {
  const key = `${table}|${options.onConflict}|${options.returning}`;
  const found = PREPARED.get(columns) ?? new Map<string, PreparedInsert<never>>();
  const known = found.get(key) as PreparedInsert<Row> | undefined;
  if (known) return known;
  const list = Object.entries<InsertColumn<Row, string>>(columns as Record<string, never>).map(
    ([name, column]) => columnOf(name, column),
  );
  const insert = { columns: list, sql: statement(table, list, options) };
  PREPARED.set(columns, found.set(key, insert));
  return insert;
}

interface Column<Row> {
  readonly name: string;
  readonly type: string;
  readonly read: (row: Row) => unknown;
}

function columnOf<Row>(name: string, column: InsertColumn<Row, string>): Column<Row> {
  if (typeof column !== 'string') return { name, type: column[0], read: column[1] };
  const property = name.replace(/_(\w)/g, (_match, initial: string) => initial.toUpperCase()) as keyof Row;
  return { name, type: column as string, read: (row) => row[property] };
}

function statement(table: string, columns: readonly Column<never>[], options: InsertOptions): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  // unnest would take an array of arrays apart to the last element: arrays travel as texts and are read by a cast
  const wanted = columns
    .map(({ name, type }) => (isArray(type) ? `"${name}"::${type}` : `"${name}"`))
    .join(', ');
  const lists = columns.map(({ type }, at) => `$${at + 1}::${isArray(type) ? 'text' : type}[]`).join(', ');
  const conflict = options.onConflict === undefined ? '' : ` on conflict ${options.onConflict}`;
  const returning = options.returning === undefined ? '' : ` returning ${options.returning}`;
  return `insert into ${table} (${names}) select ${wanted} from unnest(${lists}) as given(${names})${conflict}${returning}`;
}

const isArray = (type: string): boolean => type.endsWith('[]');

function encoded(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'jsonb' || type === 'json') return JSON.stringify(value);
  return isArray(type) ? arrayLiteral(value as readonly unknown[]) : value;
}

/** An array in PostgreSQL's text form. The driver's own writes dates in local time and every element by two regexes. */
function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (value instanceof Uint8Array)
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`;
  if (typeof value !== 'string')
    throw new TypeError(`an ${typeof value} cannot be inserted: only jsonb takes any value`);
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
