import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, back, once, read, type Problem } from '../api/client';
import { queries, useAccount } from '../api/session';
import { Button, LinkButton } from '../ui/button';
import { Select } from '../ui/field';
import { Page, Section } from '../ui/page';
import { saveCsv } from '../ui/save-csv';
import { Curl } from '../ui/states';
import { t } from '../words/words';
import { useAttributes } from './attributes';
import {
  attributeName,
  guessTargets,
  mapRows,
  newAttributes,
  parseCsv,
  type Rejected,
  type Row,
  type Table,
  type Target,
} from './csv-import.rules';

/** Read into memory whole. */
const MOST_BYTES = 20 * 1024 * 1024;
/** The most contacts of one request. */
const BATCH = 1_000;

type Progress = {
  done: number;
  created: number;
  updated: number;
  rejected: Rejected[];
  state: 'running' | 'ended' | 'failed';
  error?: string;
};

/** The effect of a confirmed dry run. */
interface Plan {
  readonly rows: readonly Row[];
  readonly rejected: readonly Rejected[];
  readonly list: string;
  /** defined before: the account has not got them yet */
  readonly attributes: readonly string[];
}

export function ImportPage() {
  const [table, setTable] = useState<Table>();
  const [targets, setTargets] = useState<Target[]>([]);
  const [problem, setProblem] = useState<string>();
  const [progress, setProgress] = useState<Progress>();
  const choose = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setProblem(t.imports.tooLarge);
    const parsed = parseCsv(await file.text());
    if (parsed.rows.length === 0) return setProblem(t.imports.noRows);
    setProblem(undefined);
    setProgress(undefined);
    setTable(parsed);
    setTargets(guessTargets(parsed.columns));
  };
  return (
    <Page title={t.imports.title} lead={t.imports.lead} back={{ to: '/audience', label: t.contacts.title }}>
      <Section title={t.imports.file} lead={t.imports.fileText}>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          aria-label={t.imports.file}
          disabled={progress?.state === 'running'}
          onChange={(event) => void choose(event.target.files?.[0])}
          className="panel w-full max-w-xl p-3 text-sm file:mr-3 file:rounded-md file:border-0 file:bg-sunken file:px-3 file:py-1.5 file:font-medium"
        />
        {problem && (
          <p role="alert" className="mt-2 text-bad">
            {problem}
          </p>
        )}
      </Section>
      {table && !progress && (
        <MapAndRun table={table} targets={targets} change={setTargets} progress={setProgress} />
      )}
      {progress && <Result progress={progress} total={table?.rows.length ?? 0} />}
      {!table && (
        <Curl
          method="POST"
          path="/contacts/batch"
          body={{ data: [{ email: 'ann@example.com', first_name: 'Ann' }] }}
        />
      )}
    </Page>
  );
}

function MapAndRun({
  table,
  targets,
  change,
  progress,
}: {
  table: Table;
  targets: Target[];
  change: (targets: Target[]) => void;
  progress: (progress: Progress) => void;
}) {
  const account = useAccount();
  const [list, setList] = useState('');
  const lists = useQuery({
    queryKey: ['lists', account.account_id, 'names'],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/lists', { params: { path: account } })),
  });
  const attributes = useAttributes();
  const types = useMemo(
    () => new Map(attributes.data?.data.map(({ key, type }) => [key, type])),
    [attributes.data],
  );
  const { good, rejected } = useMemo(
    () => mapRows(table, targets, types, t.imports.reasons),
    [table, targets, types],
  );
  const options = (name: string): [string, string][] => [
    ['email', t.suppressions.address],
    ['first_name', t.contacts.firstName],
    ['last_name', t.contacts.lastName],
    ...[...new Set([attributeName(name) || 'value', ...types.keys()])].map((key): [string, string] => [
      `attribute:${key}`,
      types.has(key) ? t.imports.attribute(key) : t.imports.newAttribute(key),
    ]),
    ['skip', t.imports.skip],
  ];
  return (
    <>
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
                  change(targets.map((one, at) => (at === index ? (event.target.value as Target) : one)))
                }
              />
            </li>
          ))}
        </ul>
      </Section>
      <Section title={t.imports.dryRun} lead={t.imports.dryRunText(good.length, rejected.length)}>
        {rejected.length > 0 && <RejectedRows rejected={rejected} />}
        <div className="mt-3 flex flex-wrap items-end gap-3">
          <Select
            label={t.imports.onList}
            className="w-auto"
            options={[
              ['', t.imports.noList],
              ...(lists.data?.data ?? []).map(({ id, name }) => [id, name] as const),
            ]}
            value={list}
            onChange={(event) => setList(event.target.value)}
          />
          <Button
            look="primary"
            disabled={good.length === 0 || !attributes.data}
            onClick={() =>
              void run(
                account,
                { rows: good, rejected, list, attributes: newAttributes(targets, types) },
                progress,
              )
            }
          >
            {t.imports.run(good.length)}
          </Button>
        </div>
      </Section>
    </>
  );
}

/** Batch by batch. A batch has a key of its own: a repeated request changes nothing. */
async function run(
  account: { account_id: string },
  { rows, rejected, list, attributes }: Plan,
  report: (progress: Progress) => void,
): Promise<void> {
  const now: Progress = { done: 0, created: 0, updated: 0, rejected: [...rejected], state: 'running' };
  report({ ...now });
  try {
    for (const key of attributes)
      await read(back.POST('/console/api/contact-attributes', { body: { key, type: 'string' } }));
    for (let from = 0; from < rows.length; from += BATCH) {
      const batch = rows.slice(from, from + BATCH);
      const answer = await read(
        api.POST('/v2/accounts/{account_id}/contacts/batch', {
          params: { path: account, header: once() },
          body: { data: batch.map(({ contact }) => contact) as never },
        }),
      );
      now.created += answer.created;
      now.updated += answer.updated;
      for (const { outcome, email, reason, position } of answer.data)
        if (outcome === 'failed')
          now.rejected.push({ line: batch[position]?.line ?? 0, email, reason: reason ?? '' });
      const added = answer.data.flatMap(({ contact }) => (contact ? [{ id: contact.id }] : []));
      if (list !== '' && added.length > 0)
        await read(
          api.POST('/v2/accounts/{account_id}/lists/{list_id}/contacts/batch', {
            params: { path: { ...account, list_id: list }, header: once() },
            body: { data: added },
          }),
        );
      now.done += batch.length;
      report({ ...now });
    }
    report({ ...now, state: 'ended' });
  } catch (error) {
    report({ ...now, state: 'failed', error: (error as Problem).message });
  } finally {
    for (const name of ['contacts', 'contact-attributes', 'lists', 'list-members'])
      void queries.invalidateQueries({ queryKey: [name] });
  }
}

function Result({
  progress: { done, created, updated, rejected, state, error },
  total,
}: {
  progress: Progress;
  total: number;
}) {
  return (
    <Section title={t.imports.states[state]}>
      <progress max={total} value={done} aria-label={t.imports.title} className="mb-2 h-2 w-full max-w-xl" />
      <p role="status" className="text-ink-2">
        {t.imports.result(done, created, updated, rejected.length)}
      </p>
      {error && (
        <p role="alert" className="mt-2 text-bad">
          {error} {t.imports.failedText}
        </p>
      )}
      {rejected.length > 0 && <RejectedRows rejected={rejected} />}
      {state !== 'running' && (
        <div className="mt-4">
          <LinkButton to="/audience">{t.contacts.tab}</LinkButton>
        </div>
      )}
    </Section>
  );
}

function RejectedRows({ rejected }: { rejected: readonly Rejected[] }) {
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
