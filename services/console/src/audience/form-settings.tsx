import { useState, type FormEvent } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { useCan } from '../api/session';
import { useTemplateNames } from '../campaigns/campaign-templates';
import { Check, Input, Select, TextArea } from '../ui/field';
import { SaveButton } from '../ui/form-modal';
import { Section } from '../ui/page';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { FormAttributes } from './form-attributes';
import { useListNames, type SignUpForm } from './forms';

type Draft = Pick<
  SignUpForm,
  'name' | 'list_id' | 'is_open' | 'fields' | 'attributes' | 'texts' | 'accent' | 'from' | 'welcome'
>;
type TextName = keyof Draft['texts'];

interface Part {
  draft: Draft;
  set: (fields: Partial<Draft>) => void;
}

const OF_PAGE: readonly TextName[] = ['title', 'intro', 'button', 'consent', 'thanks', 'confirmed'];
const OF_MAIL: readonly TextName[] = ['mail_subject', 'mail_text', 'mail_button'];
const LONG: ReadonlySet<TextName> = new Set(['intro', 'consent', 'thanks', 'confirmed', 'mail_text']);

const FIELDS = [
  ['first_name', t.contacts.firstName],
  ['last_name', t.contacts.lastName],
] as const;

const draftOf = (form: SignUpForm): Draft => {
  const { name, list_id, is_open, fields, attributes, texts, accent, from, welcome } = form;
  return { name, list_id, is_open, fields, attributes, texts, accent, from, welcome };
};

/** As the server takes it: choices without empty lines, and no attribute that was deleted. */
const bodyOf = ({ attributes, ...draft }: Draft) => ({
  ...draft,
  attributes: attributes
    .filter(({ type }) => type !== null)
    .map(({ key, label, required, options }) => ({
      ...{ key, label, required },
      options: options.map((one) => one.trim()).filter((one) => one !== ''),
    })),
});

/** The fields of a form, its words and its look: saved together. */
export function FormSettings({ form }: { form: SignUpForm }) {
  const mayWrite = useCan('lists:write');
  const [draft, setDraft] = useState(() => draftOf(form));
  const save = useAction(
    () =>
      read(
        back.PUT('/console/api/sign-up-forms/{sign_up_form_id}', {
          params: { path: { sign_up_form_id: form.id } },
          body: bodyOf(draft),
        }),
      ),
    { changes: [['sign-up-forms']], quiet: true, done: () => notify(t.saved) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const part: Part = { draft, set: (fields) => setDraft({ ...draft, ...fields }) };
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="contents">
        <Section title={t.forms.about}>
          <About form={form} {...part} />
        </Section>
        <Section title={t.forms.texts} lead={t.forms.textsLead}>
          <div className="panel flex flex-col gap-4 p-5">
            <Texts names={OF_PAGE} {...part} />
          </div>
        </Section>
        <Section title={t.forms.mail}>
          <div className="panel flex flex-col gap-4 p-5">
            <Sender {...part} />
            <Texts names={OF_MAIL} {...part} />
            <Welcome {...part} />
            <SaveButton of={save} mayWrite={mayWrite} />
          </div>
        </Section>
      </fieldset>
    </form>
  );
}

function About({ form, draft, set }: Part & { form: SignUpForm }) {
  const lists = useListNames();
  const own = [form.list_id, form.list_name ?? t.forms.listGone] as const;
  const choose = (id: SignUpForm['fields'][number], isOn: boolean) =>
    set({
      fields: FIELDS.map(([one]) => one).filter((one) => (one === id ? isOn : draft.fields.includes(one))),
    });
  return (
    <div className="panel flex flex-col gap-4 p-5">
      <Input
        label={t.webhooks.name}
        required
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <Select
        label={t.forms.list}
        options={lists.some(([id]) => id === form.list_id) ? lists : [own, ...lists]}
        value={draft.list_id}
        onChange={(event) => set({ list_id: event.target.value })}
      />
      <Check
        label={t.forms.isOpen}
        checked={draft.is_open}
        onChange={(event) => set({ is_open: event.target.checked })}
      />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t.forms.fields}</legend>
        {FIELDS.map(([id, label]) => (
          <Check
            key={id}
            label={label}
            checked={draft.fields.includes(id)}
            onChange={(event) => choose(id, event.target.checked)}
          />
        ))}
      </fieldset>
      <FormAttributes asked={draft.attributes} change={(attributes) => set({ attributes })} />
      <Input
        label={t.forms.accent}
        pattern="#[0-9a-f]{6}"
        title={t.forms.accentWrong}
        required
        value={draft.accent}
        onChange={(event) => set({ accent: event.target.value.toLowerCase() })}
      />
    </div>
  );
}

function Texts({ names, draft: { texts }, set }: Part & { names: readonly TextName[] }) {
  return names.map((name) => {
    const Field = LONG.has(name) ? TextArea : Input;
    return (
      <Field
        key={name}
        label={t.forms.labels[name]}
        required={name !== 'intro'}
        value={texts[name]}
        onChange={(event: { target: { value: string } }) =>
          set({ texts: { ...texts, [name]: event.target.value } })
        }
      />
    );
  });
}

function Sender({ draft: { from }, set }: Part) {
  return (
    <>
      <Input
        label={t.forms.from}
        type="email"
        required
        value={from.email}
        onChange={(event) => set({ from: { ...from, email: event.target.value } })}
      />
      <Input
        label={t.forms.fromName}
        value={from.name}
        onChange={(event) => set({ from: { ...from, name: event.target.value } })}
      />
    </>
  );
}

function Welcome({ draft: { welcome }, set }: Part) {
  const templates = useTemplateNames();
  const subject = welcome?.subject ?? '';
  return (
    <>
      <Select
        label={t.forms.welcome}
        hint={t.forms.welcomeHint}
        options={[['', t.forms.noWelcome], ...templates]}
        value={welcome?.template_id ?? ''}
        onChange={({ target: { value } }) =>
          set({ welcome: value === '' ? null : { template_id: value, subject } })
        }
      />
      {welcome && (
        <Input
          label={t.forms.welcomeSubject}
          required
          value={subject}
          onChange={(event) => set({ welcome: { ...welcome, subject: event.target.value } })}
        />
      )}
    </>
  );
}
