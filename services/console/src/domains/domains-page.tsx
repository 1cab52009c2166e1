import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { DomainState } from './domain-state';

type Domain = Schemas['Domain'];

const COLUMNS: readonly Column<Domain>[] = [
  {
    id: 'domain',
    title: t.domains.domain,
    width: 'minmax(0,2fr)',
    cell: ({ domain }) => <span className="font-medium">{domain}</span>,
  },
  {
    id: 'state',
    title: t.domains.state,
    width: '8.500rem',
    cell: (domain) => <DomainState domain={domain} />,
  },
  {
    id: 'records',
    title: t.domains.records,
    width: '7rem',
    wide: true,
    cell: ({ dns_records: records }) =>
      t.domains.seenOf(records.filter(({ propagated }) => propagated).length, records.length),
  },
  {
    id: 'use',
    title: t.domains.use,
    width: '8rem',
    wide: true,
    cell: ({ sending_type }) => t.domains.uses[sending_type],
  },
  {
    id: 'checked',
    title: t.domains.checked,
    width: '7rem',
    wide: true,
    end: true,
    cell: ({ last_dns_check_at: at }) => (at === null ? t.never : <Time at={at} ago />),
  },
];

const onPhone = (domain: Domain) => (
  <>
    <span className="block truncate font-medium">{domain.domain}</span>
    <span className="block">
      <DomainState domain={domain} />
    </span>
  </>
);

export function DomainsPage() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useCan('domains:write');
  const list = useRows<Domain>(['domains', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/domains', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  const add = mayAdd && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {t.domains.add}
    </Button>
  );
  return (
    <Page title={t.domains.title} lead={t.domains.lead} actions={list.rows.length > 0 && add}>
      <RowsTable
        label={t.domains.title}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        phone={onPhone}
        linkOf={({ domain }) => ({ to: '/domains/$domain', params: { domain } })}
        curl={<Curl path="/domains" />}
        empty={
          <Empty
            title={t.domains.none}
            action={add}
            curl={<Curl method="POST" path="/domains" body={{ domain: 'mail.example.com' }} />}
          >
            {t.domains.noneText}
          </Empty>
        }
      />
      {isAdding && <AddDomain onClose={() => setAdding(false)} />}
    </Page>
  );
}

const FORM = z.object({
  domain: z.string().check(z.regex(/^\s*[^\s@.]+(\.[^\s@.]+)+\s*$/, t.domains.domainNeeded)),
  sending_type: z.enum(['transactional', 'marketing']),
});

function AddDomain({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const navigate = useNavigate();
  const form = useSchemaForm<z.infer<typeof FORM>>(FORM, { domain: '', sending_type: 'transactional' });
  const add = useAction(
    ({ domain, sending_type }: z.infer<typeof FORM>) =>
      read(
        api.POST('/v2/accounts/{account_id}/domains', {
          params: { path: account, header: once() },
          body: { domain: domain.trim(), sending_type },
        }),
      ),
    {
      changes: [['domains']],
      quiet: true,
      done: ({ domain }) => void navigate({ to: '/domains/$domain', params: { domain } }),
    },
  );
  return (
    <FormModal
      title={t.domains.add}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Input
        label={t.domains.domain}
        placeholder="mail.example.com"
        autoFocus
        hint={t.domains.subdomainHint}
        error={form.formState.errors.domain?.message}
        {...form.register('domain')}
      />
      <Select
        label={t.domains.use}
        hint={t.domains.useHint}
        options={[
          ['transactional', t.domains.uses.transactional],
          ['marketing', t.domains.uses.marketing],
        ]}
        {...form.register('sending_type')}
      />
    </FormModal>
  );
}
