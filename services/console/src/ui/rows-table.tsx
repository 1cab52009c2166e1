import { Link, type LinkProps } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { Rows } from '../api/pages';
import { t } from '../words/words';
import { Failed, Skeleton } from './states';

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** a track of the grid: `6rem`, `minmax(0,2fr)` */
  readonly width: string;
  readonly cell: (row: T) => ReactNode;
  /** left out below 640 px */
  readonly wide?: boolean;
  readonly end?: boolean;
}

const ROW = 42;
const ROW_ON_A_PHONE = 62;
const AHEAD = 15;

/**
 * A table of any length: only the rows near the window are in the page, and the next page is fetched before its end is reached.
 * The whole row is one link. The server filters, orders and pages, so that TanStack Table would have nothing to do here.
 */
export function RowsTable<T>({
  label,
  list,
  columns,
  keyOf,
  linkOf,
  phone,
  empty,
  curl,
}: {
  label: string;
  list: Rows<T>;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  linkOf?: (row: T) => LinkProps;
  /** a row on a narrow screen, in place of the columns */
  phone?: (row: T) => ReactNode;
  empty: ReactNode;
  curl?: ReactNode;
}) {
  if (list.error && list.rows.length === 0)
    return <Failed error={list.error} retry={list.reload} curl={curl} />;
  if (list.isLoading) return <Skeleton rows={8} />;
  if (list.rows.length === 0) return empty;
  return <Grid {...{ label, list, columns, keyOf, linkOf, phone }} />;
}

function Grid<T>({
  label,
  list,
  columns,
  keyOf,
  linkOf,
  phone,
}: Omit<Parameters<typeof RowsTable<T>>[0], 'empty' | 'curl'>) {
  const body = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const isNarrow = useNarrow();
  const asCards = isNarrow && phone !== undefined;
  useLayoutEffect(() => setMargin(body.current?.offsetTop ?? 0), [asCards]);
  const size = asCards ? ROW_ON_A_PHONE : ROW;
  const virtual = useWindowVirtualizer({
    count: list.rows.length,
    estimateSize: () => size,
    overscan: 12,
    scrollMargin: margin,
    // no keys of rows: with a function that is new each time, all places are computed anew while a reader scrolls
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (list.hasMore && last >= list.rows.length - AHEAD) list.loadMore();
  }, [last, list]);
  const shown = isNarrow ? columns.filter(({ wide }) => !wide) : columns;
  const gridTemplateColumns = shown.map(({ width }) => width).join(' ');
  return (
    <div className="panel overflow-hidden">
      <div role="table" aria-label={label} aria-rowcount={list.hasMore ? -1 : list.rows.length + 1}>
        <div role="rowgroup" className={asCards ? 'sr-only' : 'border-b border-line bg-sunken/60'}>
          <div
            role="row"
            style={{ gridTemplateColumns }}
            className="grid gap-4 px-4 py-2 text-xs font-medium text-ink-3"
          >
            {shown.map(({ id, title, end }) => (
              <span key={id} role="columnheader" className={`truncate ${end ? 'text-right' : ''}`}>
                {title}
              </span>
            ))}
          </div>
        </div>
        <div ref={body} role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = list.rows[index] as T;
            const key = keyOf(row);
            const place = {
              role: 'row',
              'aria-rowindex': index + 2,
              style: {
                height: size,
                transform: `translateY(${start - margin}px)`,
                ...(asCards ? {} : { gridTemplateColumns }),
              },
              className: `absolute inset-x-0 top-0 border-b border-line/70 px-4 ${asCards ? 'flex flex-col justify-center gap-0.5' : 'grid items-center gap-4'} ${linkOf ? 'hover:bg-sunken/70 focus-visible:z-10 focus-visible:-outline-offset-2' : ''}`,
            };
            const cells = asCards ? (
              <div role="cell" className="min-w-0">
                {phone(row)}
              </div>
            ) : (
              shown.map(({ id, cell, end }) => (
                <div key={id} role="cell" className={`min-w-0 truncate ${end ? 'text-right' : ''}`}>
                  {cell(row)}
                </div>
              ))
            );
            return linkOf ? (
              <Link key={key} {...linkOf(row)} {...place}>
                {cells}
              </Link>
            ) : (
              <div key={key} {...place}>
                {cells}
              </div>
            );
          })}
        </div>
      </div>
      <p role="status" className="px-4 py-2 text-xs text-ink-3">
        {list.isLoadingMore ? t.loading : t.rows(list.rows.length, list.hasMore)}
      </p>
    </div>
  );
}

const NARROW = matchMedia('(max-width: 639px)');

function useNarrow(): boolean {
  const [isNarrow, set] = useState(NARROW.matches);
  useLayoutEffect(() => {
    const changed = () => set(NARROW.matches);
    NARROW.addEventListener('change', changed);
    return () => NARROW.removeEventListener('change', changed);
  }, []);
  return isNarrow;
}
