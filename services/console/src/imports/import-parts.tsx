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
  const take = (text: string) => {
    const table = readTable(text, t.imports.reasons.badJson);
    if (table.rows.length === 0) return t.imports.noRows;
    changed(table);
    return undefined;
  };
  return (
    <TextFile
      lead={t.imports.fileText}
      accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json,application/x-ndjson"
      disabled={disabled}
      mostBytes={MOST_BYTES}
      tooLarge={t.imports.tooLarge}
      take={take}
    />
  );
}

/** A file of text. */
export function TextFile({
  lead,
  accept,
  disabled,
  mostBytes,
  tooLarge,
  take,
}: {
  lead: string;
  accept: string;
  disabled: boolean;
  mostBytes: number;
  /** said of a larger one */
  tooLarge: string;
  /** @returns what is wrong with it */
  take: (text: string, name: string) => string | undefined;
}) {
  const [problem, setProblem] = useState<string>();
  const choose = async (file: File | undefined) => {
    if (file) setProblem(file.size > mostBytes ? tooLarge : take(await file.text(), file.name));
  };
  return (
    <Section title={t.imports.file} lead={lead}>
      <input
        type="file"
        accept={accept}
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

/** The service that exported the file; without one it is a list of one's own. */
export function FromService({
  value,
  isOwn = true,
  disabled,
  change,
}: {
  value: string;
  /** it may be a list of one's own */
  isOwn?: boolean;
  disabled: boolean;
  change: (service: string) => void;
}) {
  return (
    <div className="mb-6 max-w-xl">
      <Select
        label={t.imports.from}
        hint={t.imports.fromText}
        options={[['', isOwn ? t.imports.own : ''], ...t.imports.services]}
        value={value}
        disabled={disabled}
        onChange={(event) => change(event.target.value)}
      />
    </div>
  );
}

/** The form of a file of another service: its name, or the choice where its columns fit several. */
export function FormOfFile({
  forms,
  problem,
  choose,
}: {
  /** undefined: they are being read */
  forms: readonly string[] | undefined;
  problem: string | undefined;
  choose: (form: string) => void;
}) {
  if (problem !== undefined)
    return (
      <p role="alert" className="mb-4 text-bad">
        {problem}
      </p>
    );
  if (!forms) return <p role="status">{t.imports.reading}</p>;
  const [form, ...others] = forms;
  if (others.length === 0) return <p role="status">{t.imports.form(form ?? '')}</p>;
  return (
    <div className="mb-4 max-w-xl">
      <Select
        label={t.imports.whichForm}
        options={[['', ''], ...forms.map((name) => [name, name] as const)]}
        value=""
        onChange={(event) => choose(event.target.value)}
      />
    </div>
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
