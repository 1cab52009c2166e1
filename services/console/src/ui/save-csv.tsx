import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { t } from '../words/words';
import { Button } from './button';
import { csvOf, writePages } from './csv.rules';
import { notify } from './toasts';

export function saveCsv(name: string, rows: readonly (readonly string[])[]): void {
  save(name, [csvOf(rows)]);
}

function save(name: string, parts: BlobPart[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

interface Export {
  /** rows so far; undefined: none runs */
  readonly rows: number | undefined;
  readonly start: () => void;
  readonly stop: () => void;
}

interface ListToSave<Row> {
  readonly head: readonly string[];
  readonly cellsOf: (row: Row) => string[];
  /** of the query of the list */
  readonly queryKey: readonly unknown[];
  readonly fetchPage: (
    after: string | undefined,
  ) => Promise<{ data: Row[]; pagination: { next_cursor?: string | null } }>;
}

/** Saves all pages of a list. Each page becomes a blob, which a browser may keep on disk, until the file is whole. */
export function useCsvExport<Row>(
  name: string,
  { head, cellsOf, queryKey, fetchPage }: ListToSave<Row>,
): Export {
  const client = useQueryClient();
  const savedPage = async (after: string | undefined) => {
    const { data, pagination } = await client.fetchQuery({
      queryKey: [...queryKey, 'export', after],
      queryFn: () => fetchPage(after),
      gcTime: 0,
    });
    return { rows: data.map(cellsOf), next: pagination.next_cursor ?? undefined };
  };
  const [rows, setRows] = useState<number>();
  const running = useRef<AbortController>(undefined);
  const run = async () => {
    const { signal } = (running.current = new AbortController());
    const parts: Blob[] = [];
    const write = (text: string) => void parts.push(new Blob([text]));
    setRows(0);
    try {
      const { rows: all, isCut } = await writePages({
        head,
        fetchPage: savedPage,
        write,
        progress: setRows,
        signal,
      });
      save(name, parts);
      if (isCut) notify(t.exportCut(all), 'warn');
    } catch (error) {
      if (!signal.aborted) notify((error as Error).message, 'bad');
    }
    setRows(undefined);
  };
  return {
    rows,
    start: () => void (rows === undefined && run()),
    stop: () => running.current?.abort(),
  };
}

export function ExportProgress({ of: { rows, stop } }: { of: Export }) {
  if (rows === undefined) return null;
  return (
    <p
      role="status"
      className="mb-4 flex flex-wrap items-center gap-3 rounded-md bg-accent-soft px-3 py-2 text-accent"
    >
      {t.exporting(rows)}
      <Button onClick={stop}>{t.cancel}</Button>
    </p>
  );
}
