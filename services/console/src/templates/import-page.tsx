import { useState } from 'react';
import { api, back, once, Problem, read } from '../api/client';
import type { components } from '../api/generated/console';
import { queries, useAccount } from '../api/session';
import { FromService, TextFile } from '../imports/import-parts';
import { Badge, type Tone } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { Page, Section } from '../ui/page';
import { saveCsv } from '../ui/save-csv';
import { t } from '../words/words';

/** Translated by the server as a whole. */
const MOST_BYTES = 5_000_000;

type Service = components['schemas']['TemplateTranslationsCreateBody']['service'];
type Translated = components['schemas']['TranslatedTemplate'];
/** `created` and `failed`: of an import */
type Row = Omit<Translated, 'result'> & { result: Translated['result'] | 'created' | 'failed' };

interface File {
  readonly name: string;
  readonly text: string;
}

interface Run {
  readonly state: 'reading' | 'dry-run' | 'running' | 'ended';
  readonly rows: readonly Row[];
  /** of those that are created */
  readonly done: number;
}

const NOTHING: Run = { state: 'reading', rows: [], done: 0 };

/** Templates of another service become drafts; those that cannot be translated are named. */
export function TemplateImportPage() {
  const account = useAccount();
  const [service, setService] = useState('');
  const [file, setFile] = useState<File>();
  const [run, setRun] = useState<Run>();
  const [problem, setProblem] = useState<string>();
  const look = async (from: string, given: File | undefined) => {
    setRun(undefined);
    setProblem(undefined);
    if (from === '' || !given) return;
    setRun(NOTHING);
    const body = { service: from as Service, file: given.name, text: given.text };
    try {
      const { templates } = await read(back.POST('/console/api/template-translations', { body }));
      setRun({ state: 'dry-run', rows: templates, done: 0 });
    } catch (error) {
      setRun(undefined);
      setProblem((error as Problem).message);
    }
  };
  const isRunning = run?.state === 'running' || run?.state === 'reading';
  return (
    <Page
      title={t.templates.imports.title}
      lead={t.templates.imports.lead}
      back={{ to: '/templates', label: t.templates.title }}
    >
      <FromService
        value={service}
        isOwn={false}
        disabled={isRunning}
        change={(from) => {
          setService(from);
          void look(from, file);
        }}
      />
      <TextFile
        lead={t.templates.imports.fileText}
        accept=".json,.html,.htm,.txt,application/json,text/html,text/plain"
        disabled={isRunning || service === ''}
        mostBytes={MOST_BYTES}
        tooLarge={t.templates.imports.tooLarge}
        take={(text, name) => {
          if (text.trim() === '') return t.templates.imports.empty;
          setFile({ name, text });
          void look(service, { name, text });
          return undefined;
        }}
      />
      {problem !== undefined && (
        <p role="alert" className="mb-4 text-bad">
          {problem}
        </p>
      )}
      {run?.state === 'reading' && <p role="status">{t.imports.reading}</p>}
      {run && run.state !== 'reading' && (
        <Results run={run} create={() => void createAll(account, run.rows, setRun)} />
      )}
    </Page>
  );
}

function Results({ run: { state, rows, done }, create }: { run: Run; create: () => void }) {
  const count = (...results: Row['result'][]) => rows.filter(({ result }) => results.includes(result)).length;
  const fresh = count('new');
  const refused = rows.filter(({ problems }) => problems.length > 0);
  const save = () =>
    saveCsv('refused-templates.csv', [
      ['template', 'part', 'line', 'problem'],
      ...refused.flatMap(({ name, problems }) =>
        problems.map(({ part, line, problem }) => [name, part, String(line ?? ''), problem]),
      ),
    ]);
  return (
    <Section title={t.templates.imports.states[state === 'reading' ? 'dry-run' : state]}>
      {state !== 'dry-run' && (
        <progress
          max={done + fresh}
          value={done}
          aria-label={t.imports.progress}
          className="mb-2 h-2 w-full max-w-xl"
        />
      )}
      <p role="status" className="text-ink-2">
        {t.templates.imports.result(
          state === 'dry-run',
          state === 'dry-run' ? fresh : count('created'),
          count('unchanged'),
          count('refused', 'failed'),
        )}
      </p>
      <ul
        className="panel mt-3 max-h-96 max-w-2xl divide-y divide-line overflow-y-auto text-sm"
        tabIndex={0}
        aria-label={t.templates.title}
      >
        {rows.map(({ name, result, problems }, index) => (
          <li key={index} className="px-4 py-2">
            <span className="flex justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{name}</span>
              <Badge tone={TONES[result]}>{t.templates.imports.results[result]}</Badge>
            </span>
            {problems.slice(0, 20).map(({ part, line, problem }, at) => (
              <span key={at} className="block text-ink-3">
                {t.templates.imports.problem(part, line, problem)}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {state !== 'running' && (
        <div className="mt-4 flex flex-wrap gap-2">
          {state === 'dry-run' ? (
            <Button look="primary" disabled={fresh === 0} onClick={create}>
              {t.templates.imports.run(fresh)}
            </Button>
          ) : (
            <LinkButton to="/templates">{t.templates.title}</LinkButton>
          )}
          {refused.length > 0 && <Button onClick={save}>{t.templates.imports.save(refused.length)}</Button>}
        </div>
      )}
    </Section>
  );
}

const TONES: Record<Row['result'], Tone> = {
  new: 'accent',
  created: 'good',
  unchanged: 'plain',
  refused: 'bad',
  failed: 'bad',
};

/** One by one. Each has a key of its own, and one that exists is unchanged when the file is imported again. */
async function createAll(
  account: { account_id: string },
  given: readonly Row[],
  report: (run: Run) => void,
): Promise<void> {
  const rows = [...given];
  let done = 0;
  report({ state: 'running', rows, done });
  for (const [index, row] of given.entries()) {
    if (row.result !== 'new' || !row.template) continue;
    const { name, template } = row;
    const { subject, ...content } = template;
    try {
      await read(
        api.POST('/v2/accounts/{account_id}/templates', {
          params: { path: account, header: once() },
          body: { name, editor: 'html', ...(subject !== undefined && { subject }), content },
        }),
      );
      rows[index] = { ...row, result: 'created' };
    } catch (error) {
      const { message } = error as Problem;
      rows[index] = { ...row, result: 'failed', problems: [{ part: 'content', problem: message }] };
    }
    done += 1;
    report({ state: 'running', rows: [...rows], done });
  }
  report({ state: 'ended', rows, done });
  void queries.invalidateQueries({ queryKey: ['templates'] });
}
