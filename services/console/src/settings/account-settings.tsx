import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Check, Input } from '../ui/field';
import { SaveButton } from '../ui/form-modal';
import { Curl, Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type Account = Schemas['Account'];

const TEXTS = ['name', 'website', 'about'] as const;
const FLAGS = ['track_opens', 'track_clicks', 'reject_bad_recipients', 'reject_mistyped_recipients'] as const;
const DAYS = ['message_metadata_retention', 'message_data_retention'] as const;

export function AccountSettings() {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['account', account.account_id],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}', { params: { path: account } })),
  });
  return <Loaded query={query}>{(loaded) => <Form key={loaded.updated_at} account={loaded} />}</Loaded>;
}

function Form({ account }: { account: Account }) {
  const mayWrite = useCan('accounts:write');
  const [values, setValues] = useState(() => ({
    ...pick(account, TEXTS),
    ...pick(account, FLAGS),
    ...pick(account, DAYS),
  }));
  const save = useAction(
    () =>
      read(
        api.PUT('/v2/accounts/{account_id}', { params: { path: { account_id: account.id } }, body: values }),
      ),
    { changes: [['account'], ['session']], quiet: true, done: () => notify(t.saved) },
  );
  const set = (changed: Partial<typeof values>) => setValues({ ...values, ...changed });
  return (
    <form
      className="panel flex max-w-2xl flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <fieldset disabled={!mayWrite} className="contents">
        {TEXTS.map((name) => (
          <Input
            key={name}
            label={t.settings.fields[name]}
            value={values[name]}
            onChange={(event) => set({ [name]: event.target.value })}
          />
        ))}
        <div>
          {FLAGS.map((name) => (
            <Check
              key={name}
              label={t.settings.flags[name][0]}
              hint={t.settings.flags[name][1]}
              checked={values[name]}
              onChange={(event) => set({ [name]: event.target.checked })}
            />
          ))}
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          {DAYS.map((name) => (
            <Input
              key={name}
              type="number"
              min={0}
              label={t.settings.days[name][0]}
              hint={t.settings.days[name][1]}
              value={values[name]}
              onChange={(event) => set({ [name]: event.target.valueAsNumber })}
            />
          ))}
        </div>
        <SaveButton of={save} mayWrite={mayWrite} />
      </fieldset>
      <Curl path="" />
    </form>
  );
}

const pick = <K extends keyof Account>(account: Account, names: readonly K[]): Pick<Account, K> =>
  Object.fromEntries(names.map((name) => [name, account[name]])) as Pick<Account, K>;
