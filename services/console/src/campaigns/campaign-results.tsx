import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, back, read, type Schemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { shareText } from '../statistics/deliverability.rules';
import { Badge, type Tone } from '../ui/badge';
import { Button } from '../ui/button';
import { Select } from '../ui/field';
import { Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { ExportProgress, useCsvExport } from '../ui/save-csv';
import { Curl, Empty, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { TrialResults } from './trial-results';
import { isMoving, type Campaign } from './campaign-states';

type Recipient = Schemas['CampaignRecipient'];

/** Outcomes, opens and clicks come for days after the last message was handed over. */
const refreshMs = ({ status }: Campaign): number => (isMoving(status) ? 3_000 : 10_000);

const SHOWN = [
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'skipped',
  'opened',
  'clicked',
  'unsubscribed',
  'complained',
] as const;

export function CampaignResults({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const path = { ...account, campaign_id: campaign.id };
  const query = useQuery({
    queryKey: ['campaign-stats', account.account_id, campaign.id],
    refetchInterval: refreshMs(campaign),
    queryFn: () =>
      read(api.GET('/v2/accounts/{account_id}/campaigns/{campaign_id}/stats', { params: { path } })),
  });
  return (
    <>
      <Section title={t.campaigns.results}>
        <Loaded query={query}>
          {(stats) => {
            const done = stats.recipients - stats.pending - stats.queued;
            return (
              <>
                <p role="status" className="mb-1 text-ink-2">
                  {t.campaigns.progress(done, stats.recipients)}
                </p>
                <progress
                  max={Math.max(1, stats.recipients)}
                  value={done}
                  aria-label={t.campaigns.results}
                  className="mb-4 h-2 w-full"
                />
                <dl className="panel grid grid-cols-2 gap-px overflow-hidden bg-line sm:grid-cols-5">
                  {SHOWN.map((name) => (
                    <div key={name} className="bg-surface px-4 py-3">
                      <dt className="text-xs text-ink-3">{t.campaigns.counts[name]}</dt>
                      <dd className="text-lg font-semibold">{stats[name].toLocaleString('en')}</dd>
                      <dd className="text-xs text-ink-3">
                        {shareText(
                          stats[name],
                          name === 'opened' || name === 'clicked' ? stats.delivered : stats.recipients,
                        )}
                      </dd>
                    </div>
                  ))}
                </dl>
                {stats.skipped > 0 && <Skips campaign={campaign} />}
              </>
            );
          }}
        </Loaded>
      </Section>
      <TrialResults campaign={campaign} refreshMs={refreshMs(campaign)} />
      <Recipients campaign={campaign} />
    </>
  );
}

const reasonText = (reason: string | null): string =>
  reason === null ? '' : (t.campaigns.skipReasons[reason] ?? reason);

/** The reasons for which recipients were left out, the commonest first. */
function Skips({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['campaign-skips', account.account_id, campaign.id],
    refetchInterval: refreshMs(campaign),
    queryFn: () =>
      read(
        back.GET('/console/api/campaigns/{campaign_id}/skips', {
          params: { path: { campaign_id: campaign.id } },
        }),
      ),
  });
  if (!data) return null;
  return (
    <p className="mt-2 text-sm text-ink-2">
      {t.campaigns.skips}:{' '}
      {data.data.map(({ reason, count }) => `${reasonText(reason)} ${count.toLocaleString('en')}`).join(', ')}
      {data.is_cut && ` ${t.campaigns.skipsCut}`}
    </p>
  );
}

const TONES: Partial<Record<Recipient['status'], Tone>> = {
  delivered: 'good',
  deferred: 'warn',
  bounced: 'bad',
  failed: 'bad',
  suppressed: 'bad',
};

const COLUMNS: readonly Column<Recipient>[] = [
  {
    id: 'status',
    title: t.messages.status,
    width: '7rem',
    cell: ({ status }) => <Badge tone={TONES[status] ?? 'plain'}>{t.campaigns.counts[status]}</Badge>,
  },
  {
    id: 'email',
    title: t.suppressions.address,
    width: 'minmax(0,1.2fr)',
    cell: ({ email }) => <span className="font-medium">{email}</span>,
  },
  {
    id: 'reason',
    title: t.suppressions.reason,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ status_reason }) => reasonText(status_reason),
  },
  {
    id: 'engagement',
    title: t.message.engagement,
    width: '10rem',
    wide: true,
    cell: ({ open_count, click_count }) =>
      open_count + click_count > 0 ? t.message.opensAndClicks(open_count, click_count) : '',
  },
  {
    id: 'time',
    title: t.campaigns.counts.delivered,
    width: '7rem',
    wide: true,
    end: true,
    cell: ({ delivered_at: at }) => (at === null ? '' : <Time at={at} ago />),
  },
];

const HEAD = [
  'email',
  'status',
  'status_reason',
  'message_id',
  'sent_at',
  'delivered_at',
  'opened_at',
  'clicked_at',
  'unsubscribed_at',
  'complained_at',
  'contact_id',
] as const satisfies readonly (keyof Recipient)[];
const cellsOf = (one: Recipient): string[] => HEAD.map((name) => String(one[name] ?? ''));

function Recipients({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const [status, setStatus] = useState<Recipient['status'] | ''>('');
  const fetchPage = (after: string | undefined) =>
    read(
      api.GET('/v2/accounts/{account_id}/campaigns/{campaign_id}/recipients', {
        params: {
          path: { ...account, campaign_id: campaign.id },
          query: { ...(status === '' ? {} : { status }), ...(after === undefined ? {} : { after }) },
        },
      }),
    );
  const queryKey = ['campaign-recipients', account.account_id, campaign.id, status];
  const list = useRows<Recipient>(queryKey, fetchPage, { refreshMs: refreshMs(campaign) });
  const file = useCsvExport<Recipient>('recipients.csv', { head: HEAD, cellsOf, queryKey, fetchPage });
  return (
    <Section
      title={t.campaigns.recipients}
      actions={
        <>
          <Select
            label={t.messages.status}
            bare
            className="w-auto"
            options={[
              ['', t.messages.anyStatus],
              ...t.campaigns.recipientStates.map((one) => [one, t.campaigns.counts[one]] as const),
            ]}
            value={status}
            onChange={(event) => setStatus(event.target.value as Recipient['status'] | '')}
          />
          <Button onClick={file.start}>{t.exportCsv}</Button>
        </>
      }
    >
      <ExportProgress of={file} />
      <RowsTable
        label={t.campaigns.recipients}
        list={list}
        columns={COLUMNS}
        keyOf={({ contact_id }) => contact_id}
        linkOf={({ message_id, email }) =>
          message_id === null
            ? { to: '/about/$address', params: { address: email } }
            : { to: '/messages/$messageId', params: { messageId: message_id } }
        }
        curl={<Curl path={`/campaigns/${campaign.id}/recipients`} />}
        empty={<Empty title={t.campaigns.noRecipients} />}
      />
    </Section>
  );
}
