import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { Input, Select } from '../ui/field';
import { FormModal } from '../ui/form-modal';
import { Empty, Loaded } from '../ui/states';
import { t } from '../words/words';
import { ConsentTools } from './consent-tools';
import { FormState } from './form-state';
import { useForms, useListNames } from './forms';

/** The sign-up forms: an account has 50 at most. */
export function FormList({ add }: { add: ReactNode }) {
  const query = useForms();
  return (
    <>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.forms.none} action={add}>
              {t.forms.noneText}
            </Empty>
          ) : (
            <ul className="panel divide-y divide-line">
              {data.map((form) => (
                <li
                  key={form.id}
                  className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3"
                >
                  <div className="min-w-0">
                    <Link
                      to="/audience/forms/$formId"
                      params={{ formId: form.id }}
                      className="block truncate font-medium text-accent hover:underline"
                    >
                      {form.name}
                    </Link>
                    <span className="text-sm text-ink-3">{form.list_name}</span>
                  </div>
                  <div className="flex items-center gap-4 text-sm text-ink-2">
                    <span>
                      {t.forms.waiting}: {form.waiting}
                    </span>
                    <span>
                      {t.forms.confirmed}: {form.confirmed}
                    </span>
                    <FormState form={form} />
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ConsentTools />
    </>
  );
}

/** A form with texts to begin with. */
export function AddForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const lists = useListNames();
  const [name, setName] = useState('');
  const [listId, setListId] = useState('');
  const [email, setEmail] = useState('');
  const add = useAction(
    () =>
      read(
        back.POST('/console/api/sign-up-forms', {
          body: {
            name: name.trim(),
            list_id: listId === '' ? (lists[0]?.[0] ?? '') : listId,
            is_open: true,
            fields: [],
            texts: t.forms.start,
            accent: '#1d4fc4',
            from: { email: email.trim(), name: '' },
            welcome: null,
          },
        }),
      ),
    {
      changes: [['sign-up-forms']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/audience/forms/$formId', params: { formId: id } }),
    },
  );
  return (
    <FormModal
      title={t.forms.add}
      of={add}
      disabled={lists.length === 0}
      submit={() => add.mutate(undefined)}
      onClose={onClose}
    >
      <Input
        label={t.webhooks.name}
        autoFocus
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Select
        label={t.forms.list}
        options={lists}
        required
        value={listId === '' ? (lists[0]?.[0] ?? '') : listId}
        onChange={(event) => setListId(event.target.value)}
      />
      <Input
        label={t.forms.from}
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </FormModal>
  );
}
