import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { hasPasskeys, makePasskey } from '../api/passkey-prompt';
import { Button, IconButton } from '../ui/button';
import { Input } from '../ui/field';
import { FormModal } from '../ui/form-modal';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { browserOf } from './browser-of.rules';

const CHANGES = [['passkeys']];

export function Passkeys() {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['passkeys'],
    queryFn: () => read(back.GET('/console/api/passkeys')),
  });
  const remove = useAction(
    (id: string) =>
      read(back.DELETE('/console/api/passkeys/{passkey_id}', { params: { path: { passkey_id: id } } })),
    { changes: CHANGES, done: () => notify(t.passkeys.removed) },
  );
  return (
    <Section
      title={t.passkeys.title}
      lead={hasPasskeys() ? t.passkeys.lead : t.passkeys.unsupported}
      actions={
        hasPasskeys() && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t.passkeys.add}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="panel px-4 py-3 text-ink-2">{t.passkeys.none}</p>
          ) : (
            <ul className="panel divide-y divide-line">
              {data.map(({ id, label, created_at, last_used_at }) => (
                <li key={id} className="flex items-center justify-between gap-3 px-4 py-2">
                  <span className="min-w-0">
                    <span className="font-medium break-words">{label}</span>
                    <span className="block text-xs text-ink-3">
                      {t.sessions.since} <Time at={created_at} />
                      {last_used_at !== null && (
                        <>
                          , {t.passkeys.lastUsed} <Time at={last_used_at} ago />
                        </>
                      )}
                    </span>
                  </span>
                  <IconButton icon="trash" label={t.passkeys.remove} onClick={() => remove.mutate(id)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
    </Section>
  );
}

function AddPasskey({ onClose }: { onClose: () => void }) {
  const [label, setLabel] = useState(() => browserOf(navigator.userAgent) ?? '');
  const add = useAction(
    async () => {
      const options = await read(back.POST('/console/api/passkeys/options'));
      const credential = await makePasskey(options).catch(() => {
        throw new Error(t.passkeys.refused);
      });
      return read(back.POST('/console/api/passkeys', { body: { label: label.trim(), credential } }));
    },
    { changes: CHANGES, quiet: true, done: onClose },
  );
  return (
    <FormModal title={t.passkeys.add} of={add} submit={() => add.mutate(undefined)} onClose={onClose}>
      <Input
        label={t.passkeys.name}
        hint={t.passkeys.nameHint}
        required
        maxLength={100}
        autoFocus
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
    </FormModal>
  );
}
