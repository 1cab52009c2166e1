import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, back, once, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { SaveState, useAutosave } from '../editor/autosave';
import { ContentEditor, Issues, PreviewPane } from '../editor/content-editor';
import { blocksBodyOf, bodyOf, contentOf, type Content } from '../editor/content.rules';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Curl, Failed, Loaded, Skeleton } from '../ui/states';
import { notify, notifyWithUndo } from '../ui/toasts';
import { t } from '../words/words';
import { TestSend } from './test-send';

type Template = Schemas['Template'];
type Draft = Pick<Schemas['TemplateDraft'], 'subject' | 'preheader' | 'content' | 'variables'> & {
  issues: Schemas['Issue'][];
};
type Blocks = ConsoleSchemas['DesignBlocks'] | undefined;

const blocksOf = async (template: Template): Promise<Blocks> =>
  template.editor === 'simple'
    ? await read(
        back.GET('/console/api/templates/{template_id}/blocks', {
          params: { path: { template_id: template.id } },
        }),
      )
    : undefined;

/** The draft when there is one, else the published content: what is edited and previewed. */
export function TemplateDraft({ template }: { template: Template }) {
  const account = useAccount();
  const path = { ...account, template_id: template.id };
  const query = useQuery({
    queryKey: ['templates', account.account_id, template.id, 'draft', template.has_draft],
    // edited is what the server has now, not what it had at the last visit
    gcTime: 0,
    queryFn: async (): Promise<{ draft: Draft; blocks: Blocks }> => ({
      draft: template.has_draft
        ? await read(api.GET('/v2/accounts/{account_id}/templates/{template_id}/draft', { params: { path } }))
        : { ...template, issues: [] },
      blocks: await blocksOf(template),
    }),
  });
  return (
    <Loaded query={query}>
      {({ draft, blocks }) => <Editor key={template.id} template={template} draft={draft} blocks={blocks} />}
    </Loaded>
  );
}

interface Texts {
  readonly subject: string;
  readonly preheader: string;
  readonly content: Content;
}

/** The fields, and blocks after them. */
async function write(
  path: { account_id: string; template_id: string },
  { subject, preheader, content }: Texts,
): Promise<void> {
  const body = bodyOf(content);
  await read(
    api.PUT('/v2/accounts/{account_id}/templates/{template_id}', {
      params: { path, header: once() },
      body: { subject, preheader, ...(body && { content: body }) },
    }),
  );
  const design = blocksBodyOf(content);
  if (!design) return;
  const { template_id } = path;
  await read(
    back.PUT('/console/api/templates/{template_id}/blocks', {
      params: { path: { template_id } },
      body: design,
    }),
  );
}

const stateOf = ({ subject, preheader, content }: Texts): string =>
  JSON.stringify([subject, preheader, content]);

function Editor({ template, draft, blocks }: { template: Template; draft: Draft; blocks: Blocks }) {
  const account = useAccount();
  const path = { ...account, template_id: template.id };
  const mayWrite = useCan('templates:write');
  const [subject, setSubject] = useState(draft.subject);
  const [preheader, setPreheader] = useState(draft.preheader);
  const [content, setContent] = useState(() => contentOf(draft.content, blocks));
  const [values, setValues] = useState<Record<string, string>>({});
  const changes = [['templates']];
  const wanted = stateOf({ subject, preheader, content });
  const save = useAutosave(wanted, {
    write: () => write(path, { subject, preheader, content }),
    mayWrite,
    changes,
  });
  const publish = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/templates/{template_id}/publish', {
          params: { path, header: once() },
        }),
      ),
    { changes, done: () => notify(t.templates.published) },
  );
  const show = (texts: Texts) => {
    setSubject(texts.subject);
    setPreheader(texts.preheader);
    setContent(texts.content);
  };
  const discard = useAction(
    async () => {
      const published = await read(
        api.DELETE('/v2/accounts/{account_id}/templates/{template_id}/draft', { params: { path } }),
      );
      return { ...published, content: contentOf(published.content, await blocksOf(template)) };
    },
    {
      changes,
      done: (published) => {
        show(published);
        save.setStored(stateOf(published));
        // the same texts are saved as a draft anew
        notifyWithUndo(t.templates.discarded, () => show({ subject, preheader, content }));
      },
    },
  );
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <SaveState of={save} saved={t.templates.allSaved} />
        <div className="flex flex-wrap gap-2">
          <TestSend template={template} values={values} />
          {mayWrite && template.has_draft && (
            <>
              <Button busy={discard.isPending} onClick={() => discard.mutate(undefined)}>
                {t.templates.discard}
              </Button>
              <Button
                look="primary"
                busy={publish.isPending}
                disabled={!save.isSaved}
                onClick={() => publish.mutate(undefined)}
              >
                {t.templates.publish}
              </Button>
            </>
          )}
        </div>
      </div>
      <Issues issues={draft.issues} />
      <div className="grid gap-6 xl:grid-cols-2">
        <div className="flex flex-col gap-3">
          <Input
            label={t.messages.subject}
            disabled={!mayWrite}
            value={subject}
            onChange={(event) => setSubject(event.target.value)}
          />
          <Input
            label={t.templates.preheader}
            hint={t.templates.preheaderHint}
            disabled={!mayWrite}
            value={preheader}
            onChange={(event) => setPreheader(event.target.value)}
          />
          <ContentEditor content={content} change={setContent} readOnly={!mayWrite} isFixed />
        </div>
        <div className="flex flex-col gap-3">
          <Variables
            names={[...draft.variables, ...namesIn(subject, draft.variables)]}
            values={values}
            change={setValues}
          />
          <Preview template={template} values={values} saved={save.saves} />
        </div>
      </div>
      <div className="mt-6">
        <Curl
          method="POST"
          path="/messages/template"
          body={{
            template_id: template.id,
            recipients: [{ email: 'ann@example.com', substitutions: values }],
          }}
        />
      </div>
    </>
  );
}

/** Names that are in the subject alone: they are no variables that a send needs (spec 2-messages §4 rule 14). */
function namesIn(subject: string, known: Draft['variables']): Draft['variables'] {
  const names = new Set([...subject.matchAll(/\{\{-?\s*([A-Za-z_]\w*)/g)].map(([, name = '']) => name));
  for (const { name } of known) names.delete(name);
  return [...names].map((name) => ({ name, required: false }));
}

/** Sample values for the preview and the test. */
function Variables({
  names,
  values,
  change,
}: {
  names: Draft['variables'];
  values: Record<string, string>;
  change: (values: Record<string, string>) => void;
}) {
  if (names.length === 0) return null;
  return (
    <fieldset className="panel p-4">
      <legend className="sr-only">{t.templates.variables}</legend>
      <p className="mb-2 text-sm font-medium">{t.templates.variables}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {names.map(({ name, required }) => (
          <Input
            key={name}
            label={name}
            hint={required ? undefined : t.domains.optional}
            value={values[name] ?? ''}
            onChange={(event) => change({ ...values, [name]: event.target.value })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Preview({
  template,
  values,
  saved,
}: {
  template: Template;
  values: Record<string, string>;
  saved: number;
}) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['template-preview', account.account_id, template.id, template.has_draft, values, saved],
    placeholderData: (before) => before,
    retry: false,
    queryFn: () =>
      read(
        api.POST('/v2/accounts/{account_id}/templates/{template_id}/preview', {
          params: { path: { ...account, template_id: template.id } },
          body: { substitutions: values },
        }),
      ),
  });
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return query.data ? <PreviewPane preview={query.data} /> : <Skeleton />;
}
