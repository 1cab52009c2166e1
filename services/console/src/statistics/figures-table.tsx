import type { ReactNode } from 'react';

export interface FiguresColumn<T> {
  readonly title: string;
  readonly cell: (row: T) => string;
}

/** Names and their figures; it scrolls in itself, on a phone to the side as well. */
export function FiguresTable<T>({
  label,
  head,
  columns,
  rows,
  keyOf,
  nameOf,
}: {
  label: string;
  /** of the column of names */
  head: string;
  columns: readonly FiguresColumn<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  nameOf: (row: T) => ReactNode;
}) {
  return (
    <div className="panel mt-2 max-h-96 overflow-auto" tabIndex={0} role="group" aria-label={label}>
      <table className="w-full text-right text-xs">
        <thead className="sticky top-0 bg-sunken text-ink-3">
          <tr>
            <th scope="col" className="px-3 py-2 text-left font-medium">
              {head}
            </th>
            {columns.map(({ title }) => (
              <th key={title} scope="col" className="px-3 py-2 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-t border-line">
              <th
                scope="row"
                className="max-w-64 min-w-32 truncate px-3 py-1 text-left font-normal whitespace-nowrap"
              >
                {nameOf(row)}
              </th>
              {columns.map(({ title, cell }) => (
                <td key={title} className="px-3 py-1 whitespace-nowrap">
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
