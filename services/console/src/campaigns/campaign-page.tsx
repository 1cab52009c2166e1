import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, read } from '../api/client';
import { pollMs } from '../api/live';
import { useAccount } from '../api/session';
import { Badge } from '../ui/badge';
import { Page, Tabs } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { CampaignActions } from './campaign-actions';
import { CampaignDraft } from './campaign-draft';
import { CampaignResults } from './campaign-results';
import { isEditable, isMoving, TONES, type Campaign } from './campaign-states';
import { SendPanel } from './send-panel';

const REFRESH_MS = 3_000;

export function CampaignPage() {
  const account = useAccount();
  const { campaignId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ['campaigns', account.account_id, campaignId],
    refetchInterval: ({ state }) => (isMoving(state.data?.status) ? pollMs(REFRESH_MS) : false),
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/campaigns/{campaign_id}', {
          params: { path: { ...account, campaign_id: campaignId } },
        }),
      ),
  });
  const campaign = query.data;
  return (
    <Page
      title={campaign?.name ?? t.campaigns.title}
      back={{ to: '/campaigns', label: t.campaigns.title }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {campaign?.name ?? t.campaigns.title}
          {campaign && <Badge tone={TONES[campaign.status]}>{t.campaigns.states[campaign.status]}</Badge>}
        </span>
      }
      actions={campaign && <CampaignActions campaign={campaign} />}
    >
      <Loaded query={query}>{(loaded) => <Parts campaign={loaded} />}</Loaded>
    </Page>
  );
}

function Parts({ campaign }: { campaign: Campaign }) {
  const isDraft = isEditable(campaign.status);
  const { tab = isDraft ? 'edit' : 'results' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const tabs = [
    { id: 'edit', label: isDraft ? t.campaigns.compose : t.message.content },
    ...(isDraft
      ? [{ id: 'send', label: t.campaigns.review }]
      : [{ id: 'results', label: t.campaigns.results }]),
  ];
  const current = tabs.some(({ id }) => id === tab) ? tab : (tabs.at(-1)?.id ?? 'edit');
  return (
    <>
      <Why campaign={campaign} />
      <Tabs
        label={campaign.name}
        tabs={tabs}
        current={current}
        choose={(next) =>
          void navigate({
            to: '/campaigns/$campaignId',
            params: { campaignId: campaign.id },
            search: { tab: next },
            replace: true,
          })
        }
      />
      {current === 'edit' && <CampaignDraft key={campaign.id} campaign={campaign} />}
      {current === 'send' && <SendPanel campaign={campaign} />}
      {current === 'results' && <CampaignResults campaign={campaign} />}
    </>
  );
}

/** Why it waits, and until when. */
function Why({
  campaign: { status_reason: reason, send_at, send_resumes_at: resumes, status },
}: {
  campaign: Campaign;
}) {
  if (reason === null && resumes === null && status !== 'scheduled') return null;
  return (
    <p role="status" className="mb-4 rounded-lg bg-warn-soft px-4 py-3 text-warn">
      {reason}
      {status === 'scheduled' && send_at !== null && (
        <>
          {' '}
          {t.campaigns.begins} <Time at={send_at} />.
        </>
      )}
      {resumes !== null && (
        <>
          {' '}
          {t.campaigns.resumes} <Time at={resumes} />.
        </>
      )}
    </p>
  );
}
