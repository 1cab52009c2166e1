import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, back, once, read, type Problem } from '../api/client';
import { queries, useAccount } from '../api/session';
import { guessTargets, type Rejected, type Table } from '../imports/file-table.rules';
import {
  Columns,
  FileToImport,
  FromService,
  RejectedRows,
  Running,
  type Progress,
} from '../imports/import-parts';
import { Button, LinkButton } from '../ui/button';
import { Select } from '../ui/field';
import { Page, Section } from '../ui/page';
import { Curl } from '../ui/states';
import { t } from '../words/words';
import { useAttributes } from './attributes';
import { ForeignImport } from './foreign-import';
import { attributeName, KNOWN, mapRows, newAttributes, type Row, type Target } from './contact-rows.rules';

/** The most contacts of one request. */
const BATCH = 1_000;

type ContactProgress = Progress & { created: number; updated: number };

/** The effect of a confirmed dry run. */
interface Plan {
  readonly rows: readonly Row[];
  readonly rejected: readonly Rejected[];
  readonly list: string;
  /** defined before: the account has not got them yet */
  readonly attributes: readonly string[];
}

export function ImportPage() {
  const [service, setService] = useState('');
  const [table, setTable] = useState<Table>();
  // of the files that were chosen: each is a new import
  const [nth, setNth] = useState(0);
  const [isForeignRunning, setForeignRunning] = useState(false);
  const [targets, setTargets] = useState<Target[]>([]);
  const [progress, setProgress] = useState<ContactProgress>();
  const changed = (read: Table) => {
    setProgress(undefined);
    setTable(read);
    setNth(nth + 1);
    setTargets(guessTargets(read.columns, KNOWN));
  };
  const isRunning = progress?.state === 'running' || isForeignRunning;
  return (
    <Page title={t.imports.title} lead={t.imports.lead} back={{ to: '/audience', label: t.contacts.title }}>
      <FromService
        value={service}
        disabled={isRunning}
        change={(from) => {
          setService(from);
          setProgress(undefined);
        }}
      />
      <FileToImport disabled={isRunning} changed={changed} />
      {table && service !== '' && (
        <ForeignImport
          key={`${service} ${nth}`}
          table={table}
          service={service}
          running={setForeignRunning}
        />
      )}
      {table && service === '' && !progress && (
        <MapAndRun table={table} targets={targets} change={setTargets} progress={setProgress} />
      )}
      {progress && (
        <Running
          title={t.imports.states[progress.state]}
          progress={progress}
          total={table?.rows.length ?? 0}
          result={t.imports.result(
            progress.done,
            progress.created,
            progress.updated,
            progress.rejected.length,
          )}
        >
          <LinkButton to="/audience">{t.contacts.tab}</LinkButton>
        </Running>
      )}
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
  progress: (progress: ContactProgress) => void;
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
  const options = (name: string): [Target, string][] => [
    ['email', t.suppressions.address],
    ['first_name', t.contacts.firstName],
    ['last_name', t.contacts.lastName],
    ...[...new Set([attributeName(name) || 'value', ...types.keys()])].map((key): [Target, string] => [
      `attribute:${key}`,
      types.has(key) ? t.imports.attribute(key) : t.imports.newAttribute(key),
    ]),
    ['skip', t.imports.skip],
  ];
  return (
    <>
      <Columns table={table} targets={targets} options={options} change={change} />
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
  report: (progress: ContactProgress) => void,
): Promise<void> {
  const now = { done: 0, created: 0, updated: 0, rejected: [...rejected] };
  report({ ...now, state: 'running' });
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
      report({ ...now, state: 'running' });
    }
    report({ ...now, state: 'ended' });
  } catch (error) {
    report({ ...now, state: 'failed', error: (error as Problem).message });
  } finally {
    for (const name of ['contacts', 'contact-attributes', 'lists', 'list-members'])
      void queries.invalidateQueries({ queryKey: [name] });
  }
}
