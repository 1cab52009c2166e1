import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button, OutsideButton } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Facts, Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { FormState } from './form-state';
import { FormSettings } from './form-settings';
import type { SignUpForm } from './forms';

const LIST = { to: '/audience', search: { tab: 'forms' } } as const;
const CHANGES = [['sign-up-forms']];

export default function FormPage() {
  const account = useAccount();
  const { formId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const mayDelete = useCan('lists:delete');
  const params = { path: { sign_up_form_id: formId } };
  const query = useQuery({
    queryKey: ['sign-up-forms', account.account_id, formId],
    queryFn: () => read(back.GET('/console/api/sign-up-forms/{sign_up_form_id}', { params })),
  });
  const form = query.data;
  const remove = useAction(
    () => read(back.DELETE('/console/api/sign-up-forms/{sign_up_form_id}', { params })),
    { changes: CHANGES, done: () => notify(t.keys.deleted(form?.name ?? '')) },
  );
  const startRemoval = () => {
    void navigate(LIST);
    runUnlessUndone(
      t.deleting(form?.name ?? ''),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/audience/forms/$formId', params: { formId } }),
    );
  };
  return (
    <Page
      title={form?.name ?? t.forms.tab}
      heading={
        form && (
          <span className="flex flex-wrap items-center gap-3">
            {form.name}
            <FormState form={form} />
          </span>
        )
      }
      back={{ ...LIST, label: t.forms.tab }}
      actions={
        form && (
          <>
            <OutsideButton href={form.url}>{t.forms.openPage}</OutsideButton>
            {mayDelete && (
              <Button look="danger" icon="trash" onClick={startRemoval}>
                {t.delete}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-8 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
            <FormSettings key={loaded.updated_at} form={loaded} />
            <Use form={loaded} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Use({ form }: { form: SignUpForm }) {
  const height = 560 + 96 * (form.fields.length + form.attributes.length);
  const snippet = `<iframe src="${form.url}" title="${t.forms.start.button}" width="100%" height="${height}" style="border:0"></iframe>`;
  return (
    <Section title={t.forms.use} lead={t.forms.useLead}>
      <div className="panel flex flex-col gap-4 p-5">
        <Facts
          rows={[
            [t.forms.list, form.list_name ?? t.forms.listGone],
            [t.forms.waiting, form.waiting],
            [t.forms.confirmed, `${form.confirmed} ${t.forms.confirmedHint}`],
          ]}
        />
        <div>
          <p className="mb-1 text-sm font-medium">{t.forms.page}</p>
          <CodeBlock text={form.url} label={t.forms.page} />
        </div>
        <div>
          <p className="mb-1 text-sm font-medium">{t.forms.snippet}</p>
          <CodeBlock text={snippet} label={t.forms.snippet} />
        </div>
      </div>
    </Section>
  );
}
