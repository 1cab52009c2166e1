import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, back, read, type Problem } from '../api/client';
import { queries, useAccount } from '../api/session';
import { guessTargets, type Rejected, type Table } from '../imports/file-table.rules';
import {
  Columns,
  FileToImport,
  FormOfFile,
  FromService,
  RejectedRows,
  Running,
  type Progress,
} from '../imports/import-parts';
import { Button, LinkButton } from '../ui/button';
import { Input, Select } from '../ui/field';
import { Page, Section } from '../ui/page';
import { t } from '../words/words';
import { inDomain, translateRows, type Translated } from './foreign-rows';
import { KNOWN, mapRows, type Defaults, type SuppressionRow, type Target } from './suppression-rows.rules';

/** The most entries of one request. */
const BATCH = 1_000;

type Effect = Progress & { isDryRun: boolean; created: number; extended: number; unchanged: number };

/** Rows to import, and those that are rejected before. */
interface Plan {
  readonly rows: readonly SuppressionRow[];
  readonly rejected: readonly Rejected[];
}

export function SuppressionImportPage() {
  const [service, setService] = useState('');
  const [table, setTable] = useState<Table>();
  const [targets, setTargets] = useState<Target[]>([]);
  const [translation, setTranslation] = useState<Translation>();
  const [defaults, setDefaults] = useState<Defaults>({ domain: '', reason: '' });
  const [effect, setEffect] = useState<Effect>();
  const plan = useMemo(() => {
    if (!table) return undefined;
    if (service === '') return mapRows(table, targets, defaults, t.imports.reasons);
    return translation?.rows && { ...translation.rows, good: inDomain(translation.rows.good, defaults) };
  }, [service, table, targets, translation, defaults]);
  const translate = (read: Table, from: string, form?: string) => {
    setTranslation({});
    const about = { service: from, form, repeated: t.imports.reasons.repeated };
    translateRows(read, about).then(
      (rows) => setTranslation({ rows }),
      (error: Problem) => setTranslation({ problem: error.message }),
    );
  };
  const changed = (read: Table | undefined, from: string) => {
    setEffect(undefined);
    setTranslation(undefined);
    setTable(read);
    if (!read) return;
    if (from === '') setTargets(guessTargets(read.columns, KNOWN));
    else translate(read, from);
  };
  const start = ({ good: rows, rejected }: NonNullable<typeof plan>, isDryRun: boolean) =>
    void run({ rows, rejected }, isDryRun, setEffect);
  const isRunning = effect?.state === 'running';
  return (
    <Page
      title={t.suppressions.imports.title}
      lead={t.suppressions.imports.lead}
      back={{ to: '/suppressions', label: t.suppressions.title }}
    >
      <FromService
        value={service}
        disabled={isRunning}
        change={(value) => {
          setService(value);
          changed(table, value);
        }}
      />
      <FileToImport disabled={isRunning} changed={(read) => changed(read, service)} />
      {table && service !== '' && translation && !effect && (
        <FormOfFile
          forms={translation.rows?.forms}
          problem={translation.problem}
          choose={(form) => translate(table, service, form)}
        />
      )}
      {table && plan && !effect && (
        <>
          {service === '' && (
            <Columns
              table={table}
              targets={targets}
              options={() => t.suppressions.imports.targets}
              change={setTargets}
            />
          )}
          <Section title={t.suppressions.imports.missing} lead={t.suppressions.imports.missingText}>
            <ForTheRest defaults={defaults} hasReason={service === ''} change={setDefaults} />
            {plan.rejected.length > 0 && <RejectedRows rejected={plan.rejected} />}
            <div className="mt-4">
              <Button look="primary" disabled={plan.good.length === 0} onClick={() => start(plan, true)}>
                {t.suppressions.imports.check(plan.good.length)}
              </Button>
            </div>
          </Section>
        </>
      )}
      {plan && effect && (
        <Running
          title={t.suppressions.imports.states(effect.isDryRun)[effect.state]}
          progress={effect}
          total={plan.good.length}
          result={t.suppressions.imports.result(effect.isDryRun, effect, effect.rejected.length)}
        >
          {effect.isDryRun ? (
            <>
              <Button
                look="primary"
                disabled={effect.state === 'failed' || effect.created + effect.extended === 0}
                onClick={() => start(plan, false)}
              >
                {t.suppressions.imports.run(effect.created + effect.extended)}
              </Button>
              <Button onClick={() => setEffect(undefined)}>{t.suppressions.imports.change}</Button>
            </>
          ) : (
            <LinkButton to="/suppressions">{t.suppressions.title}</LinkButton>
          )}
        </Running>
      )}
    </Page>
  );
}

/** The rows of another service, while they are read (empty) and after. */
interface Translation {
  readonly rows?: Translated;
  readonly problem?: string;
}

/** The domain and the reason of rows that have none. */
function ForTheRest({
  defaults,
  hasReason,
  change,
}: {
  defaults: Defaults;
  /** rows of other services bring theirs */
  hasReason: boolean;
  change: (defaults: Defaults) => void;
}) {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['domains', account.account_id, 'names'],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/domains', { params: { path: account } })),
  });
  const names = (data?.data ?? []).map(({ domain }) => domain);
  return (
    <div className="grid max-w-xl gap-3 sm:grid-cols-2">
      <Select
        label={t.suppressions.domain}
        options={[['', t.suppressions.imports.allDomains], ...names.map((name) => [name, name] as const)]}
        value={defaults.domain}
        onChange={(event) => change({ ...defaults, domain: event.target.value })}
      />
      {hasReason && (
        <Input
          label={t.suppressions.reason}
          maxLength={255}
          value={defaults.reason}
          onChange={(event) => change({ ...defaults, reason: event.target.value })}
        />
      )}
    </div>
  );
}

/** Part by part. The server may take fewer rows than it is given, but always one. */
async function run(
  { rows, rejected }: Plan,
  isDryRun: boolean,
  report: (effect: Effect) => void,
): Promise<void> {
  const now = { isDryRun, done: 0, created: 0, extended: 0, unchanged: 0, rejected: [...rejected] };
  report({ ...now, state: 'running' });
  const path = isDryRun ? '/console/api/suppression-batches/preview' : '/console/api/suppression-batches';
  try {
    while (now.done < rows.length) {
      const batch = rows.slice(now.done, now.done + BATCH);
      const answer = await read(back.POST(path, { body: { data: batch.map(({ entry }) => entry) } }));
      now.created += answer.created;
      now.extended += answer.extended;
      now.unchanged += answer.unchanged;
      for (const { position, reason } of answer.errors) {
        const row = batch[position];
        now.rejected.push({ line: row?.line ?? 0, email: row?.entry.email ?? '', reason });
      }
      now.done += Math.max(1, answer.done);
      report({ ...now, state: 'running' });
    }
    report({ ...now, state: 'ended' });
  } catch (error) {
    report({ ...now, state: 'failed', error: (error as Problem).message });
  } finally {
    if (!isDryRun) void queries.invalidateQueries({ queryKey: ['suppressions'] });
  }
}
