import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { TONES } from './campaign-states';

type Campaign = Schemas['CampaignListItem'];

const REFRESH_MS = 10_000;

const COLUMNS: readonly Column<Campaign>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1.2fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'status',
    title: t.messages.status,
    width: '9rem',
    cell: ({ status }) => <Badge tone={TONES[status]}>{t.campaigns.states[status]}</Badge>,
  },
  {
    id: 'subject',
    title: t.messages.subject,
    width: 'minmax(0,1.6fr)',
    wide: true,
    cell: ({ subject }) => subject ?? '',
  },
  {
    id: 'time',
    title: t.campaigns.when,
    width: '10rem',
    wide: true,
    end: true,
    cell: ({ finished_at, send_at, updated_at }) => <Time at={finished_at ?? send_at ?? updated_at} />,
  },
];

export function CampaignsPage() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const mayWrite = useCan('campaigns:write');
  const list = useRows<Campaign>(
    ['campaigns', account.account_id],
    (after) =>
      read(
        api.GET('/v2/accounts/{account_id}/campaigns', {
          params: { path: account, query: after === undefined ? {} : { after } },
        }),
      ),
    { refreshMs: REFRESH_MS },
  );
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {t.campaigns.add}
    </Button>
  );
  return (
    <Page title={t.campaigns.title} lead={t.campaigns.lead} actions={add}>
      <RowsTable
        label={t.campaigns.title}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/campaigns/$campaignId', params: { campaignId: id } })}
        curl={<Curl path="/campaigns" />}
        empty={
          <Empty
            title={t.campaigns.none}
            action={add}
            curl={<Curl method="POST" path="/campaigns" body={{ name: 'June' }} />}
          >
            {t.campaigns.noneText}
          </Empty>
        }
      />
      {isAdding && <Add onClose={() => setAdding(false)} />}
    </Page>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const add = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns', {
          params: { path: account, header: once() },
          body: { name: name.trim() },
        }),
      ),
    {
      changes: [['campaigns']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } }),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <Modal title={t.campaigns.add} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Input
          label={t.webhooks.name}
          hint={t.campaigns.nameHint}
          autoFocus
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={add.error?.message}
        />
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending} disabled={name.trim() === ''}>
            {t.campaigns.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
