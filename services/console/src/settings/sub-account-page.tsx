import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react';
import { api, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Value } from '../ui/copy';
import { Input, TextArea } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Facts, Page, Section, Tabs } from '../ui/page';
import { Curl, Loaded, Skeleton } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { SubAccountDomains } from './sub-account-domains';
import { StatusBadge, useOpen, useUsage, type SubAccount } from './sub-accounts';

const ApiKeys = lazy(() => import('../developers/api-keys'));

const LIST = { to: '/settings', search: { tab: 'sub-accounts' } } as const;

export default function SubAccountPage() {
  const { subAccountId = '' } = useParams({ strict: false });
  const path = { ...useAccount(), sub_account_id: subAccountId };
  const query = useQuery({
    queryKey: ['sub-accounts', path.account_id, subAccountId],
    queryFn: () =>
      read(api.GET('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}', { params: { path } })),
  });
  return (
    <Page
      title={query.data?.name ?? t.subAccounts.title}
      back={{ ...LIST, label: t.subAccounts.title }}
      actions={query.data && <Actions sub={query.data} />}
    >
      <Loaded query={query}>{(sub) => <Parts sub={sub} />}</Loaded>
    </Page>
  );
}

function Parts({ sub }: { sub: SubAccount }) {
  const { tab = 'overview' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const readsKeys = useCan('sub-account-api-keys:read');
  return (
    <>
      <Tabs
        label={sub.name}
        current={tab}
        choose={(next) =>
          void navigate({
            to: '/settings/sub-accounts/$subAccountId',
            params: { subAccountId: sub.id },
            search: { tab: next },
            replace: true,
          })
        }
        tabs={[
          { id: 'overview', label: t.subAccounts.overview },
          ...(readsKeys ? [{ id: 'keys', label: t.keys.title }] : []),
          { id: 'domains', label: t.nav.domains },
        ]}
      />
      {tab === 'overview' && (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Figures sub={sub} />
          <Settings key={`${sub.name} ${sub.website} ${sub.monthly_credit}`} sub={sub} />
        </div>
      )}
      {tab === 'keys' && readsKeys && (
        <Suspense fallback={<Skeleton />}>
          <ApiKeys subAccountId={sub.id} />
        </Suspense>
      )}
      {tab === 'domains' && <SubAccountDomains sub={sub} />}
    </>
  );
}

function Figures({ sub }: { sub: SubAccount }) {
  const usage = useUsage().data;
  const own = usage?.sub_accounts.find(({ account_id }) => account_id === sub.id);
  return (
    <div className="panel p-5">
      <Facts
        rows={[
          [t.messages.status, <StatusBadge key="status" status={sub.status} />],
          own && [t.subAccounts.month, t.subAccounts.used(own.reception_count, sub.monthly_credit)],
          own &&
            own.allocated_cost > 0 && [
              t.subAccounts.cost,
              `${own.allocated_cost.toFixed(2)} ${usage?.currency.toUpperCase() ?? ''}`,
            ],
          [t.nav.domains, sub.domain_count.toLocaleString('en')],
          [t.subAccounts.members, sub.member_count.toLocaleString('en')],
          [
            t.subAccounts.activity,
            sub.last_activity_at === null ? t.never : <Time key="activity" at={sub.last_activity_at} />,
          ],
          [t.created, <Time key="created" at={sub.created_at} />],
          ['account_id', <Value key="id" text={sub.id} />],
        ]}
      />
    </div>
  );
}

function Settings({ sub }: { sub: SubAccount }) {
  const account = useAccount();
  const mayWrite = useCan('sub-accounts:write');
  const [name, setName] = useState(sub.name);
  const [website, setWebsite] = useState(sub.website);
  const [credit, setCredit] = useState(sub.monthly_credit);
  const body = { name: name.trim(), website: website.trim(), monthly_credit: credit };
  const save = useAction(
    () =>
      read(
        api.PUT('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}', {
          params: { path: { ...account, sub_account_id: sub.id } },
          body,
        }),
      ),
    { changes: [['sub-accounts'], ['session']], quiet: true, done: () => notify(t.saved) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <Section title={t.subAccounts.settings}>
      <form className="panel flex flex-col gap-4 p-5" onSubmit={submit}>
        <fieldset disabled={!mayWrite} className="contents">
          <Input
            label={t.webhooks.name}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Input
            label={t.settings.fields.website}
            required
            value={website}
            onChange={(event) => setWebsite(event.target.value)}
          />
          <Input
            label={t.subAccounts.credit}
            hint={t.subAccounts.creditHint}
            type="number"
            min={0}
            required
            value={Number.isNaN(credit) ? '' : credit}
            onChange={(event) => setCredit(event.target.valueAsNumber)}
            error={save.error?.message}
          />
          {mayWrite && (
            <div>
              <Button type="submit" look="primary" busy={save.isPending}>
                {t.save}
              </Button>
            </div>
          )}
        </fieldset>
        <Curl method="PUT" path={`/sub-accounts/${sub.id}`} body={{ monthly_credit: sub.monthly_credit }} />
      </form>
    </Section>
  );
}

function Actions({ sub }: { sub: SubAccount }) {
  const account = useAccount();
  const [asks, setAsks] = useState<'suspend' | 'close'>();
  const maySuspend = useCan('sub-accounts:suspend');
  const mayClose = useCan('sub-accounts:delete');
  const params = { path: { ...account, sub_account_id: sub.id } };
  const unsuspend = useAction(
    () => read(api.POST('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/unsuspend', { params })),
    { changes: [['sub-accounts']], done: () => notify(t.saved) },
  );
  const open = useOpen(sub.id);
  const end = () => setAsks(undefined);
  return (
    <>
      {open && <Button onClick={() => open()}>{t.subAccounts.open}</Button>}
      {maySuspend && sub.status === 'suspended' && (
        <Button busy={unsuspend.isPending} onClick={() => unsuspend.mutate(undefined)}>
          {t.subAccounts.unsuspend}
        </Button>
      )}
      {maySuspend && sub.status !== 'suspended' && (
        <Button onClick={() => setAsks('suspend')}>{t.subAccounts.suspend}</Button>
      )}
      {mayClose && (
        <Button look="danger" onClick={() => setAsks('close')}>
          {t.subAccounts.close}
        </Button>
      )}
      {asks === 'suspend' && <Suspend path={params.path} end={end} />}
      {asks === 'close' && <Close path={params.path} name={sub.name} end={end} />}
    </>
  );
}

interface Asked {
  path: { account_id: string; sub_account_id: string };
  end: () => void;
}

function Suspend({ path, end }: Asked) {
  return (
    <Ask
      title={t.subAccounts.suspend}
      text={t.subAccounts.suspendText}
      run={(reason) =>
        read(
          api.POST('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/suspend', {
            params: { path },
            body: { reason },
          }),
        )
      }
      done={() => notify(t.saved)}
      end={end}
      field={(value, set) => (
        <TextArea
          label={t.subAccounts.reason}
          rows={2}
          maxLength={500}
          autoFocus
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      )}
    />
  );
}

function Close({ path, name, end }: Asked & { name: string }) {
  const navigate = useNavigate();
  return (
    <Ask
      title={t.subAccounts.close}
      text={t.subAccounts.closeText}
      wanted={name}
      run={() =>
        read(api.DELETE('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}', { params: { path } }))
      }
      done={() => {
        notify(t.subAccounts.closed(name));
        void navigate(LIST);
      }}
      end={end}
      field={(value, set) => (
        <Input
          label={t.subAccounts.closeAgain}
          autoFocus
          autoComplete="off"
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      )}
    />
  );
}

/** Before something that others notice at once. @param wanted the text that has to be given; left out: any */
function Ask({
  title,
  text,
  wanted,
  run,
  done,
  end,
  field,
}: {
  title: string;
  text: string;
  wanted?: string;
  run: (given: string) => Promise<unknown>;
  done: () => void;
  end: () => void;
  field: (value: string, set: (value: string) => void) => ReactNode;
}) {
  const [given, setGiven] = useState('');
  const value = given.trim();
  const act = useAction(run, {
    changes: [['sub-accounts'], ['session']],
    quiet: true,
    done: () => {
      end();
      done();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(value);
  };
  return (
    <Modal title={title} onClose={end}>
      <form onSubmit={submit}>
        <p className="mb-4 text-ink-2">{text}</p>
        {field(given, setGiven)}
        {act.error && (
          <p role="alert" className="mt-2 text-bad">
            {act.error.message}
          </p>
        )}
        <ModalActions>
          <Button onClick={end}>{t.cancel}</Button>
          <Button
            type="submit"
            look="danger"
            busy={act.isPending}
            disabled={wanted === undefined ? value === '' : value !== wanted.trim()}
          >
            {title}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
