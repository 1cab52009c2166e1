// Answers of the operator interface as text for people.

/** One table per list; of several, those that are not empty. */
export function tablesOf(answer, tables) {
  const shown = Object.entries(tables).map(([field, columns]) => [field, columns, rowsOf(answer, field)]);
  return shown
    .filter(([, , rows]) => rows.length > 0 || shown.length === 1)
    .map(([field, columns, rows]) =>
      rows.length > 0 ? table(columns, rows) : `no ${field.replaceAll('_', ' ')}`,
    )
    .join('\n\n');
}

function rowsOf(answer, field) {
  if (field === '.') return [answer];
  const value = answer[field] ?? [];
  return Array.isArray(value) ? value : Object.entries(value).map(([name, row]) => ({ name, ...row }));
}

function table(columns, rows) {
  const cells = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
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
function cell(value) {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'NO';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 120);
}
