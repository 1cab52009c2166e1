import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Button } from '../ui/button';
import { Select } from '../ui/field';
import { Section } from '../ui/page';
import { saveCsv } from '../ui/save-csv';
import { t } from '../words/words';
import { readTable, type Rejected, type Table } from './file-table.rules';

/** Read into memory whole. */
const MOST_BYTES = 20 * 1024 * 1024;

/** The file that is imported. @param changed a table was read */
export function FileToImport({ disabled, changed }: { disabled: boolean; changed: (table: Table) => void }) {
  const [problem, setProblem] = useState<string>();
  const choose = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setProblem(t.imports.tooLarge);
    const table = readTable(await file.text(), t.imports.reasons.badJson);
    if (table.rows.length === 0) return setProblem(t.imports.noRows);
    setProblem(undefined);
    changed(table);
  };
  return (
    <Section title={t.imports.file} lead={t.imports.fileText}>
      <input
        type="file"
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json,application/x-ndjson"
        aria-label={t.imports.file}
        disabled={disabled}
        onChange={(event) => void choose(event.target.files?.[0])}
        className="panel w-full max-w-xl p-3 text-sm file:mr-3 file:rounded-md file:border-0 file:bg-sunken file:px-3 file:py-1.5 file:font-medium"
      />
      {problem && (
        <p role="alert" className="mt-2 text-bad">
          {problem}
        </p>
      )}
    </Section>
  );
}

/** The meaning of each column. */
export function Columns<T extends string>({
  table,
  targets,
  options,
  change,
}: {
  table: Table;
  targets: readonly T[];
  /** of the column of this name */
  options: (name: string) => readonly (readonly [T, string])[];
  change: (targets: T[]) => void;
}) {
  return (
    <Section title={t.imports.columns} lead={t.imports.columnsText}>
      <ul className="panel divide-y divide-line">
        {table.columns.map((name, index) => (
          <li key={index} className="grid items-center gap-3 px-4 py-2 sm:grid-cols-[1fr_14rem]">
            <span className="min-w-0">
              <span className="font-medium">{name || t.message.unnamed}</span>
              <span className="block truncate text-xs text-ink-3">
                {table.rows
                  .slice(0, 3)
                  .map((row) => row[index])
                  .join(', ')}
              </span>
            </span>
            <Select
              label={name || t.message.unnamed}
              bare
              options={options(name)}
              value={targets[index]}
              onChange={(event) =>
                change(targets.map((one, at) => (at === index ? (event.target.value as T) : one)))
              }
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** How far a run is. */
export interface Progress {
  readonly done: number;
  readonly rejected: readonly Rejected[];
  readonly state: 'running' | 'ended' | 'failed';
  readonly error?: string;
}

/** A run, or its result. */
export function Running({
  title,
  progress: { done, rejected, state, error },
  total,
  result,
  children,
}: {
  title: string;
  progress: Progress;
  total: number;
  result: string;
  children?: ReactNode;
}) {
  return (
    <Section title={title}>
      <progress
        max={total}
        value={done}
        aria-label={t.imports.progress}
        className="mb-2 h-2 w-full max-w-xl"
      />
      <p role="status" className="text-ink-2">
        {result}
      </p>
      {error && (
        <p role="alert" className="mt-2 text-bad">
          {error} {t.imports.failedText}
        </p>
      )}
      {rejected.length > 0 && <RejectedRows rejected={rejected} />}
      {state !== 'running' && <div className="mt-4 flex flex-wrap gap-2">{children}</div>}
    </Section>
  );
}

export function RejectedRows({ rejected }: { rejected: readonly Rejected[] }) {
  const save = () =>
    saveCsv('rejected.csv', [
      ['line', 'email', 'reason'],
      ...rejected.map((row) => [String(row.line), row.email, row.reason]),
    ]);
  return (
    <div className="panel mt-3 max-w-xl">
      <ul
        className="max-h-56 divide-y divide-line overflow-y-auto text-sm"
        tabIndex={0}
        aria-label={t.imports.rejected}
      >
        {rejected.slice(0, 100).map(({ line, email, reason }) => (
          <li key={`${line} ${email}`} className="flex justify-between gap-3 px-4 py-1.5">
            <span className="min-w-0 truncate">
              {t.imports.line(line)}{' '}
              {email && (
                <Link to="/about/$address" params={{ address: email }}>
                  {email}
                </Link>
              )}
            </span>
            <span className="text-ink-3">{reason}</span>
          </li>
        ))}
      </ul>
      <div className="border-t border-line p-2">
        <Button onClick={save}>{t.imports.saveRejected(rejected.length)}</Button>
      </div>
    </div>
  );
}
