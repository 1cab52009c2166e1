import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, back, once, read } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { Icon } from '../ui/icons';
import { ActionMenu } from '../ui/menu';
import { Modal, ModalActions } from '../ui/modal';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { ExportProgress, useCsvExport } from '../ui/save-csv';
import { SearchBox } from '../ui/search-box';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { MessageBehind, Until, useLift, type Suppression } from './suppressions-of';

const FOREVER = '9999-12-31T23:59:59Z';
const SAMPLE = { email: 'ann@example.com', expires_at: FOREVER, reason: 'On request' };

export function SuppressionsPage() {
  const account = useAccount();
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [open, setOpen] = useState<'add' | 'wipe'>();
  const mayWrite = useCan('suppressions:write');
  const mayLift = useCan('suppressions:delete');
  const mayWipe = useCan('suppressions:wipe');
  const lift = useLift();
  const fetchPage = (after: string | undefined) =>
    read(
      back.GET('/console/api/suppressions', {
        params: { query: { ...filterOf(q), ...(after === undefined ? {} : { after }) } },
      }),
    );
  const queryKey = ['suppressions', account.account_id, q ?? ''];
  const list = useRows<Suppression>(queryKey, fetchPage);
  const file = useCsvExport<Suppression>('suppressions.csv', { head: HEAD, cellsOf, queryKey, fetchPage });
  const columns: readonly Column<Suppression>[] = [
    ...COLUMNS,
    ...(mayLift
      ? [
          {
            id: 'lift',
            title: '',
            width: '5rem',
            end: true,
            cell: (row: Suppression) => (
              <Button
                className="min-h-7"
                onClick={() => lift.mutate(row)}
                aria-label={`${t.suppressions.lift} ${row.email}`}
              >
                {t.suppressions.lift}
              </Button>
            ),
          },
        ]
      : []),
  ];
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setOpen('add')}>
      {t.suppressions.add}
    </Button>
  );
  return (
    <Page
      title={t.suppressions.title}
      lead={t.suppressions.lead}
      actions={
        <>
          {add}
          <ActionMenu
            trigger={<Button aria-label={t.more}>{<Icon name="more" />}</Button>}
            groups={[
              [
                ...(mayWrite
                  ? [
                      {
                        label: t.suppressions.imports.title,
                        onSelect: () => void navigate({ to: '/suppressions/import' }),
                      },
                    ]
                  : []),
                { label: t.exportCsv, onSelect: file.start },
              ],
              ...(mayWipe
                ? [[{ label: t.suppressions.wipe, danger: true, onSelect: () => setOpen('wipe') }]]
                : []),
            ]}
          />
        </>
      }
    >
      <Search q={q ?? ''} />
      <ExportProgress of={file} />
      <RowsTable
        label={t.suppressions.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        curl={<Curl path="/suppressions" />}
        empty={
          q === undefined ? (
            <Empty
              title={t.suppressions.none}
              action={add}
              curl={<Curl method="POST" path="/suppressions" body={SAMPLE} />}
            >
              {t.suppressions.noneText}
            </Empty>
          ) : (
            <Empty title={t.suppressions.notFound(q)}>{t.suppressions.notFoundText}</Empty>
          )
        }
      />
      {open === 'add' && <Add onClose={() => setOpen(undefined)} />}
      {open === 'wipe' && <Wipe onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

const filterOf = (q: string | undefined) =>
  q === undefined ? {} : q.includes('@') ? { email: q } : { domain: q };

const COLUMNS: readonly Column<Suppression>[] = [
  {
    id: 'email',
    title: t.suppressions.address,
    width: 'minmax(0,1.5fr)',
    cell: ({ email }) => (
      <Link to="/about/$address" params={{ address: email }} className="font-medium hover:underline">
        {email}
      </Link>
    ),
  },
  {
    id: 'reason',
    title: t.suppressions.reason,
    width: 'minmax(0,1.3fr)',
    wide: true,
    cell: (row) => (
      <>
        {row.reason || t.suppressions.noReason}{' '}
        {row.protected && <Badge tone="accent">{t.suppressions.own}</Badge>} <MessageBehind of={row} />
      </>
    ),
  },
  {
    id: 'domain',
    title: t.suppressions.domain,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ domain }) => domain,
  },
  {
    id: 'until',
    title: t.suppressions.until,
    width: '9.500rem',
    wide: true,
    cell: ({ expires_at }) => <Until at={expires_at} />,
  },
  {
    id: 'since',
    title: t.suppressions.since,
    width: '6rem',
    wide: true,
    end: true,
    cell: ({ created_at }) => <Time at={created_at} ago />,
  },
];

function Search({ q }: { q: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const submit = (given: string) =>
    void navigate({ to: '/suppressions', search: given === '' ? {} : { q: given } });
  return (
    <SearchBox
      label={t.suppressions.search}
      text={text}
      setText={setText}
      search={submit}
      className="mb-4 max-w-md"
    />
  );
}

const HEAD = ['email', 'domain', 'reason', 'created_at', 'expires_at'];
const cellsOf = (row: Suppression): string[] => [
  row.email,
  row.domain,
  row.reason,
  row.created_at,
  row.expires_at,
];

const FORM = z.object({
  email: z.string().check(z.regex(/^\s*[^\s@]+@[^\s@]+\s*$/, t.addressNeeded)),
  domain: z.string(),
  reason: z.string(),
  days: z.enum(['30', '90', '365', 'forever']),
});

function Add({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const form = useSchemaForm<z.infer<typeof FORM>>(FORM, {
    email: '',
    domain: '',
    reason: '',
    days: 'forever',
  });
  const add = useAction(
    ({ email, domain, reason, days }: z.infer<typeof FORM>) =>
      read(
        api.POST('/v2/accounts/{account_id}/suppressions', {
          params: { path: account, header: once() },
          body: {
            email: email.trim(),
            expires_at:
              days === 'forever' ? FOREVER : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
            ...(domain.trim() === '' ? {} : { domain: domain.trim() }),
            ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          },
        }),
      ),
    {
      changes: [['suppressions']],
      quiet: true,
      done: (_answer, { email }) => {
        notify(t.suppressions.added(email.trim()));
        onClose();
      },
    },
  );
  const { errors } = form.formState;
  return (
    <FormModal
      title={t.suppressions.add}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Input
        label={t.suppressions.address}
        type="email"
        autoFocus
        error={errors.email?.message}
        {...form.register('email')}
      />
      <Input label={t.suppressions.domain} hint={t.suppressions.domainHint} {...form.register('domain')} />
      <Input label={t.suppressions.reason} {...form.register('reason')} />
      <Select label={t.suppressions.until} options={t.suppressions.periods} {...form.register('days')} />
    </FormModal>
  );
}

/** The one thing here without a way back: it asks for the name of the domain. */
function Wipe({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const [domain, setDomain] = useState('');
  const [again, setAgain] = useState('');
  const wipe = useAction(
    () =>
      read(
        api.DELETE('/v2/accounts/{account_id}/suppressions/all', {
          params: { path: account, query: { domain: domain.trim() } },
        }),
      ),
    {
      changes: [['suppressions']],
      quiet: true,
      done: ({ message }) => {
        notify(t.suppressions.wiped(domain.trim(), message));
        onClose();
      },
    },
  );
  return (
    <Modal title={t.suppressions.wipe} onClose={onClose}>
      <p className="mb-4 text-ink-2">{t.suppressions.wipeText}</p>
      <div className="flex flex-col gap-4">
        <Input
          label={t.suppressions.domain}
          autoFocus
          value={domain}
          onChange={(event) => setDomain(event.target.value)}
        />
        <Input
          label={t.suppressions.wipeAgain}
          value={again}
          onChange={(event) => setAgain(event.target.value)}
          error={wipe.error?.message}
        />
      </div>
      <ModalActions>
        <Button onClick={onClose}>{t.cancel}</Button>
        <Button
          look="danger"
          busy={wipe.isPending}
          disabled={domain.trim() === '' || domain.trim() !== again.trim()}
          onClick={() => wipe.mutate(undefined)}
        >
          {t.suppressions.wipe}
        </Button>
      </ModalActions>
    </Modal>
  );
}
