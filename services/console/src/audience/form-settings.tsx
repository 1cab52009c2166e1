import { useState, type FormEvent } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { useCan } from '../api/session';
import { useTemplateNames } from '../campaigns/campaign-templates';
import { Button } from '../ui/button';
import { Check, Input, Select, TextArea } from '../ui/field';
import { Section } from '../ui/page';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { useListNames, type SignUpForm } from './forms';

type Texts = SignUpForm['texts'];
type TextName = keyof Texts;

const OF_PAGE: readonly TextName[] = ['title', 'intro', 'button', 'consent', 'thanks', 'confirmed'];
const OF_MAIL: readonly TextName[] = ['mail_subject', 'mail_text', 'mail_button'];
const LONG: ReadonlySet<TextName> = new Set(['intro', 'consent', 'thanks', 'confirmed', 'mail_text']);

const FIELDS = [
  ['first_name', t.contacts.firstName],
  ['last_name', t.contacts.lastName],
] as const;

/** The fields of a form, its words and its look: saved together. */
export function FormSettings({ form }: { form: SignUpForm }) {
  const mayWrite = useCan('lists:write');
  const [name, setName] = useState(form.name);
  const [listId, setListId] = useState(form.list_id);
  const [isOpen, setOpen] = useState(form.is_open);
  const [fields, setFields] = useState(form.fields);
  const [texts, setTexts] = useState<Texts>(form.texts);
  const [accent, setAccent] = useState(form.accent);
  const [from, setFrom] = useState(form.from);
  const [welcome, setWelcome] = useState(form.welcome ?? { template_id: '', subject: '' });
  const lists = useListNames();
  const templates = useTemplateNames();
  const save = useAction(
    () =>
      read(
        back.PUT('/console/api/sign-up-forms/{sign_up_form_id}', {
          params: { path: { sign_up_form_id: form.id } },
          body: {
            ...{ name, list_id: listId, is_open: isOpen, fields, texts, accent, from },
            welcome: welcome.template_id === '' ? null : welcome,
          },
        }),
      ),
    { changes: [['sign-up-forms']], quiet: true, done: () => notify(t.saved) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const textOf = (one: TextName) => {
    const Field = LONG.has(one) ? TextArea : Input;
    return (
      <Field
        key={one}
        label={t.forms.labels[one]}
        required={one !== 'intro'}
        value={texts[one]}
        onChange={(event: { target: { value: string } }) => setTexts({ ...texts, [one]: event.target.value })}
      />
    );
  };
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="contents">
        <Section title={t.forms.about}>
          <div className="panel flex flex-col gap-4 p-5">
            <Input
              label={t.webhooks.name}
              required
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <Select
              label={t.forms.list}
              options={
                lists.some(([id]) => id === form.list_id)
                  ? lists
                  : [[form.list_id, form.list_name ?? t.forms.listGone] as const, ...lists]
              }
              value={listId}
              onChange={(event) => setListId(event.target.value)}
            />
            <Check
              label={t.forms.isOpen}
              checked={isOpen}
              onChange={(event) => setOpen(event.target.checked)}
            />
            <fieldset>
              <legend className="mb-1 text-sm font-medium">{t.forms.fields}</legend>
              {FIELDS.map(([id, label]) => (
                <Check
                  key={id}
                  label={label}
                  checked={fields.includes(id)}
                  onChange={(event) =>
                    setFields(
                      FIELDS.map(([one]) => one).filter((one) =>
                        one === id ? event.target.checked : fields.includes(one),
                      ),
                    )
                  }
                />
              ))}
            </fieldset>
            <Input
              label={t.forms.accent}
              pattern="#[0-9a-f]{6}"
              title={t.forms.accentWrong}
              required
              value={accent}
              onChange={(event) => setAccent(event.target.value.toLowerCase())}
            />
          </div>
        </Section>
        <Section title={t.forms.texts} lead={t.forms.textsLead}>
          <div className="panel flex flex-col gap-4 p-5">{OF_PAGE.map(textOf)}</div>
        </Section>
        <Section title={t.forms.mail}>
          <div className="panel flex flex-col gap-4 p-5">
            <Input
              label={t.forms.from}
              type="email"
              required
              value={from.email}
              onChange={(event) => setFrom({ ...from, email: event.target.value })}
            />
            <Input
              label={t.forms.fromName}
              value={from.name}
              onChange={(event) => setFrom({ ...from, name: event.target.value })}
            />
            {OF_MAIL.map(textOf)}
            <Select
              label={t.forms.welcome}
              hint={t.forms.welcomeHint}
              options={[['', t.forms.noWelcome], ...templates]}
              value={welcome.template_id}
              onChange={(event) => setWelcome({ ...welcome, template_id: event.target.value })}
            />
            {welcome.template_id !== '' && (
              <Input
                label={t.forms.welcomeSubject}
                required
                value={welcome.subject}
                onChange={(event) => setWelcome({ ...welcome, subject: event.target.value })}
              />
            )}
            {save.error && (
              <p role="alert" className="text-bad">
                {save.error.message}
              </p>
            )}
            {mayWrite && (
              <div>
                <Button type="submit" look="primary" busy={save.isPending}>
                  {t.save}
                </Button>
              </div>
            )}
          </div>
        </Section>
      </fieldset>
    </form>
  );
}
