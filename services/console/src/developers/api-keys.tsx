import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { Button } from '../ui/button';
import { Icon } from '../ui/icons';
import { ActionMenu } from '../ui/menu';
import { Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { SecretOnce } from '../ui/secret-once';
import { t } from '../words/words';
import { useAccessKeys } from './access-keys';
import { useKeyCalls, type Key } from './key-calls';
import { summaryOf } from './scopes';

const KeyForm = lazy(() => import('./key-form'));

/** @param subAccountId left out: the keys of the account itself */
export default function ApiKeys({ subAccountId }: { subAccountId?: string }) {
  const isOwn = subAccountId === undefined;
  const calls = useKeyCalls(subAccountId);
  const { mayWrite, mayDelete } = calls;
  const [form, setForm] = useState<{ mode: 'create' } | { mode: 'change' | 'rotate'; from: Key }>();
  const [created, setCreated] = useState<Schemas['CreatedApiKey']>();
  const accessKeys = useAccessKeys();
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const list = useRows<Key>(calls.queryKey, calls.list);
  const remove = useAction(({ id }: Key) => calls.remove(id), {
    changes: [['api-keys']],
    done: (_answer, { label }) => notify(t.keys.deleted(label)),
  });
  const startRemoval = (key: Key) => {
    const without = (id: string) => (was: ReadonlySet<string>) =>
      new Set([...was].filter((one) => one !== id));
    setLeaving((was) => new Set([...was, key.id]));
    runUnlessUndone(
      t.keys.deleting(key.label),
      () => remove.mutate(key, { onError: () => setLeaving(without(key.id)) }),
      () => setLeaving(without(key.id)),
    );
  };
  const columns: readonly Column<Key>[] = [
    ...COLUMNS,
    {
      id: 'actions',
      title: '',
      width: '2rem',
      end: true,
      cell: (key) => (
        <ActionMenu
          trigger={
            <button
              type="button"
              aria-label={`${t.more} ${key.label}`}
              className="inline-flex size-7 items-center justify-center rounded-md hover:bg-sunken"
            >
              <Icon name="more" />
            </button>
          }
          groups={[
            ...(mayWrite
              ? [
                  [
                    { label: t.change, onSelect: () => setForm({ mode: 'change', from: key }) },
                    { label: t.keys.rotate, onSelect: () => setForm({ mode: 'rotate', from: key }) },
                    ...(isOwn ? [{ label: t.keys.ses, onSelect: () => accessKeys.make(key) }] : []),
                  ],
                ]
              : []),
            ...(mayDelete
              ? [
                  [
                    ...(isOwn ? [{ label: t.keys.endSes, onSelect: () => accessKeys.end(key) }] : []),
                    { label: t.delete, danger: true, onSelect: () => startRemoval(key) },
                  ],
                ]
              : []),
          ]}
        />
      ),
    },
  ];
  const create = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setForm({ mode: 'create' })}>
      {t.developers.createKey}
    </Button>
  );
  return (
    <Section title={t.keys.title} lead={isOwn ? t.keys.lead : t.subAccounts.keysLead} actions={create}>
      <RowsTable
        label={t.keys.title}
        list={{ ...list, rows: list.rows.filter(({ id }) => !leaving.has(id)) }}
        columns={columns}
        keyOf={({ id }) => id}
        curl={<Curl path={calls.path} />}
        empty={
          <Empty
            title={t.keys.none}
            action={create}
            curl={
              <Curl method="POST" path={calls.path} body={{ label: 'shop', scopes: ['messages:send:all'] }} />
            }
          >
            {isOwn ? t.keys.noneText : t.subAccounts.noKeyText}
          </Empty>
        }
      />
      <Suspense>
        {form && (
          <KeyForm
            calls={calls}
            isOfSubAccount={!isOwn}
            mode={form.mode}
            from={'from' in form ? form.from : undefined}
            onClose={() => setForm(undefined)}
            onCreated={(key) => {
              setForm(undefined);
              setCreated(key);
            }}
          />
        )}
      </Suspense>
      {accessKeys.shown}
      {created && (
        <SecretOnce
          title={t.keys.created(created.label)}
          rows={[[t.keys.secret, created.secret_key]]}
          onClose={() => setCreated(undefined)}
        />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    id: 'label',
    title: t.keys.label,
    width: 'minmax(0,1.2fr)',
    cell: ({ label }) => <span className="font-medium">{label}</span>,
  },
  {
    id: 'public',
    title: t.keys.begins,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ public_key }) => <code className="font-mono text-xs">{public_key}</code>,
  },
  {
    id: 'scopes',
    title: t.keys.scopes,
    width: 'minmax(0,1.2fr)',
    wide: true,
    cell: ({ scopes }) => (
      <span title={scopes.map(({ scope }) => scope).join('\n')}>
        {summaryOf(scopes.map(({ scope }) => scope))}
      </span>
    ),
  },
  {
    id: 'used',
    title: t.keys.lastUse,
    width: '7rem',
    end: true,
    cell: ({ last_used_at: at }) =>
      at === null ? <span className="text-ink-3">{t.never}</span> : <Time at={at} ago />,
  },
];
