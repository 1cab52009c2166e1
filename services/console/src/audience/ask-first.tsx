import { useState, type FormEvent } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { Button } from '../ui/button';
import { Input, Select } from '../ui/field';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { useForms } from './forms';

/** Double opt-in: by a form of the list, the address confirms before it is on the list. */
export function AskFirst({ listId }: { listId: string }) {
  const { data } = useForms();
  const forms = data?.data.filter(({ list_id }) => list_id === listId) ?? [];
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState('');
  const formId = chosen === '' ? (forms[0]?.id ?? '') : chosen;
  const ask = useAction(
    () =>
      read(
        back.POST('/console/api/sign-up-forms/{sign_up_form_id}/sign-ups', {
          params: { path: { sign_up_form_id: formId } },
          body: { email: email.trim() },
        }),
      ),
    {
      changes: [['sign-up-forms']],
      done: (result) => {
        notify(t.lists.asked[result.outcome](result.email));
        setEmail('');
      },
    },
  );
  if (forms.length === 0) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate(undefined);
  };
  return (
    <form onSubmit={submit} className="mb-4 flex max-w-2xl flex-wrap items-start gap-2">
      <div className="min-w-60 flex-1">
        <Input
          label={t.lists.askFirst}
          hint={t.lists.askFirstHint}
          type="email"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      {forms.length > 1 && (
        <Select
          label={t.lists.byForm}
          options={forms.map(({ id, name }) => [id, name] as const)}
          value={formId}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      <Button type="submit" busy={ask.isPending} className="mt-6">
        {t.add}
      </Button>
    </form>
  );
}
