import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, back, read, type Problem } from '../api/client';
import type { components } from '../api/generated/console';
import { queries, useAccount } from '../api/session';
import type { Rejected, Table } from '../imports/file-table.rules';
import { FormOfFile, Running, type Progress } from '../imports/import-parts';
import { Button, LinkButton } from '../ui/button';
import { Check, Select } from '../ui/field';
import { Facts, Section } from '../ui/page';
import { t } from '../words/words';

/** The most rows of one request. */
const BATCH = 1_000;

type Body = components['schemas']['ContactBatchesPreviewBody'];
type Answer = components['schemas']['ContactBatch'];
type Attribute = Answer['attributes'][number];

/** The choices for the whole file. */
interface Options {
  readonly confirmed: boolean;
  readonly without_attributes: boolean;
  /** empty: no list */
  readonly list_id: string;
}

interface Effect extends Progress {
  readonly isDryRun: boolean;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly stopped: number;
  readonly repeated: number;
  readonly consents: ReadonlyMap<string, number>;
  readonly lists: ReadonlyMap<string, number>;
  readonly attributes: ReadonlyMap<string, Attribute>;
}

/** Contacts of another service: the server reads the rows by its tables, and says what an import would change. */
export function ForeignImport({
  table,
  service,
  running,
}: {
  table: Table;
  service: string;
  /** whether a run is going on */
  running: (isRunning: boolean) => void;
}) {
  const [form, setForm] = useState<string>();
  const [options, setOptions] = useState<Options>({
    ...{ confirmed: false, without_attributes: false, list_id: '' },
  });
  const [effect, setEffect] = useState<Effect>();
  const rows = { service, columns: table.columns, ...(form !== undefined && { form }) } as Body;
  const look = useQuery({
    queryKey: ['contact-batches', service, form, table.columns, table.rows[0]],
    queryFn: () => preview({ ...rows, rows: rowsOf(table, 0) }),
  });
  const ready = look.data?.forms.length === 1 ? look.data : undefined;
  const start = async (isDryRun: boolean, attributes: Iterable<Attribute> = []) => {
    running(true);
    await run({ table, body: { ...rows, ...bodyOf(options) }, attributes }, isDryRun, setEffect);
    running(false);
  };
  if (effect)
    return (
      <Running
        title={t.imports.foreign.states(effect.isDryRun)[effect.state]}
        progress={effect}
        total={table.rows.length}
        result={t.imports.foreign.result(effect.isDryRun, effect, effect.rejected.length)}
      >
        <Details effect={effect} />
        {effect.isDryRun ? (
          <>
            <Button
              look="primary"
              disabled={
                effect.state === 'failed' || effect.created + effect.updated + effect.lists.size === 0
              }
              onClick={() => void start(false, effect.attributes.values())}
            >
              {t.imports.run(effect.created + effect.updated + effect.unchanged)}
            </Button>
            <Button onClick={() => setEffect(undefined)}>{t.imports.foreign.change}</Button>
          </>
        ) : (
          <LinkButton to="/audience">{t.contacts.tab}</LinkButton>
        )}
      </Running>
    );
  return (
    <>
      <FormOfFile forms={look.data?.forms} problem={look.error?.message} choose={setForm} />
      {ready && (
        <Section title={t.imports.foreign.options}>
          <Choices options={options} mayBeConfirmed={ready.may_be_confirmed} change={setOptions} />
          <div className="mt-4">
            <Button look="primary" onClick={() => void start(true)}>
              {t.imports.foreign.check(table.rows.length)}
            </Button>
          </div>
        </Section>
      )}
    </>
  );
}

const preview = (body: Body) => read(back.POST('/console/api/contact-batches/preview', { body }));

const rowsOf = ({ rows }: Table, from: number): string[][] =>
  rows.slice(from, from + BATCH).map((row) => [...row]);

const bodyOf = ({ list_id, ...said }: Options) => ({ ...said, ...(list_id !== '' && { list_id }) });

function Choices({
  options,
  mayBeConfirmed,
  change,
}: {
  options: Options;
  mayBeConfirmed: boolean;
  change: (options: Options) => void;
}) {
  const account = useAccount();
  const lists = useQuery({
    queryKey: ['lists', account.account_id, 'names'],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/lists', { params: { path: account } })),
  });
  return (
    <div className="flex max-w-xl flex-col gap-3">
      <Select
        label={t.imports.onList}
        hint={t.imports.foreign.onListText}
        options={[
          ['', t.imports.noList],
          ...(lists.data?.data ?? []).map(({ id, name }) => [id, name] as const),
        ]}
        value={options.list_id}
        onChange={(event) => change({ ...options, list_id: event.target.value })}
      />
      {mayBeConfirmed && (
        <Check
          label={t.imports.foreign.confirmed}
          hint={t.imports.foreign.confirmedText}
          checked={options.confirmed}
          onChange={(event) => change({ ...options, confirmed: event.target.checked })}
        />
      )}
      <Check
        label={t.imports.foreign.withoutAttributes}
        checked={options.without_attributes}
        onChange={(event) => change({ ...options, without_attributes: event.target.checked })}
      />
    </div>
  );
}

/** Consents, lists and attributes of the rows. */
function Details({
  effect: { consents, lists, attributes, stopped, repeated, isDryRun },
}: {
  effect: Effect;
}) {
  const numbers = (counts: Iterable<readonly [string, number]>) =>
    [...counts].map(([name, count]) => `${name}: ${count.toLocaleString('en')}`).join(', ');
  const added = [...attributes.values()].filter(({ is_defined: isDefined }) => !isDefined);
  const given = [...consents].filter(([, count]) => count > 0);
  return (
    <div className="mb-2 w-full max-w-xl">
      <Facts
        rows={[
          given.length > 0 && [
            t.imports.foreign.consents,
            numbers(given.map(([name, count]) => [t.imports.foreign.consentNames[name] ?? name, count])),
          ],
          stopped > 0 && [t.imports.foreign.stopped, stopped.toLocaleString('en')],
          repeated > 0 && [t.imports.foreign.repeated, repeated.toLocaleString('en')],
          lists.size > 0 && [t.imports.foreign.lists, numbers(lists)],
          isDryRun &&
            added.length > 0 && [
              t.imports.foreign.newAttributes,
              added.map(({ key, type }) => `${key} (${type})`).join(', '),
            ],
        ]}
      />
    </div>
  );
}

interface Plan {
  readonly table: Table;
  readonly body: Omit<Body, 'rows'>;
  /** those of the dry run: new ones are defined before */
  readonly attributes: Iterable<Attribute>;
}

/** Part by part. A part has its whole effect or none, and a repeated one changes nothing. */
async function run(
  { table, body, attributes }: Plan,
  isDryRun: boolean,
  report: (effect: Effect) => void,
): Promise<void> {
  const rejected: Rejected[] = [...table.rejected];
  const maps = { consents: new Map<string, number>(), lists: new Map<string, number>() };
  const found = new Map<string, Attribute>();
  const counts = { done: 0, created: 0, updated: 0, unchanged: 0, stopped: 0, repeated: 0 };
  const now = (state: Progress['state'], error?: string) =>
    report({
      ...{ ...counts, ...maps, isDryRun, state, attributes: found, rejected: [...rejected] },
      ...(error !== undefined && { error }),
    });
  now('running');
  try {
    if (!isDryRun)
      for (const { key, type, is_defined: isDefined } of attributes)
        if (!isDefined) await read(back.POST('/console/api/contact-attributes', { body: { key, type } }));
    for (let from = 0; from < table.rows.length; from += BATCH) {
      const part = { ...body, rows: rowsOf(table, from) };
      const answer = isDryRun
        ? await preview(part)
        : await read(back.POST('/console/api/contact-batches', { body: part }));
      for (const name of ['created', 'updated', 'unchanged', 'stopped', 'repeated'] as const)
        counts[name] += answer[name];
      for (const [name, count] of Object.entries(answer.consents)) add(maps.consents, name, count);
      for (const { name, contacts } of answer.lists) add(maps.lists, name, contacts);
      for (const one of answer.attributes) found.set(one.key, widest(found.get(one.key), one));
      for (const { position, email, reason } of answer.errors)
        rejected.push({ line: table.lines[from + position] ?? 0, email, reason });
      counts.done += part.rows.length;
      now('running');
    }
    now('ended');
  } catch (error) {
    now('failed', (error as Problem).message);
  } finally {
    if (!isDryRun)
      for (const name of ['contacts', 'contact-attributes', 'lists', 'list-members'])
        void queries.invalidateQueries({ queryKey: [name] });
  }
}

const add = (counts: Map<string, number>, name: string, more: number) =>
  counts.set(name, (counts.get(name) ?? 0) + more);

/** Values of several types are texts. */
const widest = (known: Attribute | undefined, one: Attribute): Attribute =>
  known === undefined || known.type === one.type ? one : { ...one, type: 'string' };
