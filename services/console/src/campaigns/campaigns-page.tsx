import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Page, Tabs } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { AddCampaignTemplate, CampaignTemplates } from './campaign-template-list';
import { TONES } from './campaign-states';
import { NewCampaign } from './new-campaign';

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
  const { tab = 'campaigns' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const mayWriteCampaigns = useCan('campaigns:write');
  const mayWriteTemplates = useCan('templates:write');
  const seesTemplates = useCan('templates:read');
  const isTemplates = tab === 'templates';
  const add = (isTemplates ? mayWriteTemplates : mayWriteCampaigns) && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {isTemplates ? t.campaignTemplates.add : t.campaigns.add}
    </Button>
  );
  const close = () => setAdding(false);
  return (
    <Page
      title={t.campaigns.title}
      lead={isTemplates ? t.campaignTemplates.lead : t.campaigns.lead}
      actions={add}
    >
      {seesTemplates && (
        <Tabs
          label={t.campaigns.title}
          current={tab}
          choose={(next) => void navigate({ to: '/campaigns', search: { tab: next }, replace: true })}
          tabs={[
            { id: 'campaigns', label: t.campaigns.title },
            { id: 'templates', label: t.campaignTemplates.tab },
          ]}
        />
      )}
      {isTemplates ? <CampaignTemplates add={add} /> : <Campaigns add={add} />}
      {isAdding && (isTemplates ? <AddCampaignTemplate onClose={close} /> : <NewCampaign onClose={close} />)}
    </Page>
  );
}

function Campaigns({ add }: { add: React.ReactNode }) {
  const account = useAccount();
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
  return (
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
  );
}
