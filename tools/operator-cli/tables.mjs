// Responses of the operator interface as text for people.

const WIDEST = 120;

/** @param command says which parts of its answer are shown, and how */
export function shownResponse(given, command) {
  const response = command.present ? command.present(given) : given;
  const width = command.whole ? Number.POSITIVE_INFINITY : WIDEST;
  const more = response?.pagination?.next_cursor;
  return [
    ...(command.fields ? [fieldLines(response, command.fields)] : []),
    ...(command.tables ? [tablesOf(response, command.tables, width)] : []),
    ...(more === undefined ? [] : [`there is more: --after ${more}`]),
  ].join('\n\n');
}

/** One line per field, those that are not set left out. @param names `all`: whatever there is */
function fieldLines(response, names) {
  const listed = names === 'all' ? flat(response) : names.map((name) => [name, response[name]]);
  const known = listed.filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  return known
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value, Number.POSITIVE_INFINITY)}`)
    .join('\n');
}

/** Fields within fields by their path. */
function flat(value, path = '') {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? flat(inner, `${path}${name}.`)
      : [[`${path}${name}`, inner]],
  );
}

/** One table per list; of several, those that are not empty. */
function tablesOf(response, tables, width) {
  const shown = Object.entries(tables).map(([field, columns]) => [field, columns, rowsOf(response, field)]);
  return shown
    .filter(([, , rows]) => rows.length > 0 || shown.length === 1)
    .map(([field, columns, rows]) =>
      rows.length > 0
        ? table(columns, rows, width)
        : `no ${field === 'data' ? 'entries' : field.replaceAll('_', ' ')}`,
    )
    .join('\n\n');
}

function rowsOf(response, field) {
  if (field === '.') return [response];
  const value = response[field] ?? [];
  return Array.isArray(value) ? value : Object.entries(value).map(([name, row]) => ({ name, ...row }));
}

function table(columns, rows, width) {
  const cells = [columns, ...rows.map((row) => columns.map((column) => cell(row[column], width)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  return cells
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Outside text (a remote server's answer) must not steer the terminal. */
function cell(value, width) {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'NO';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, width);
}
