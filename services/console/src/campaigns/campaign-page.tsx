import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, once, read } from '../api/client';
import { pollMs } from '../api/live';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Page, Tabs } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
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
      actions={campaign && <Actions campaign={campaign} />}
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

function Actions({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const navigate = useNavigate();
  const path = { ...account, campaign_id: campaign.id };
  const mayWrite = useCan('campaigns:write');
  const mayDelete = useCan('campaigns:delete');
  const maySend = useCan('campaigns:send');
  const changes = [['campaigns']];
  const duplicate = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns/{campaign_id}/duplicate', {
          params: { path, header: once() },
          body: {},
        }),
      ),
    {
      changes,
      done: ({ id }) => {
        notify(t.campaigns.duplicated);
        void navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } });
      },
    },
  );
  const unschedule = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns/{campaign_id}/unschedule', {
          params: { path, header: once() },
        }),
      ),
    { changes, done: () => notify(t.campaigns.unscheduled) },
  );
  const remove = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/campaigns/{campaign_id}', { params: { path } })),
    { changes, done: () => notify(t.keys.deleted(campaign.name)) },
  );
  const start = () => {
    void navigate({ to: '/campaigns' });
    runUnlessUndone(
      t.deleting(campaign.name),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/campaigns/$campaignId', params: { campaignId: campaign.id } }),
    );
  };
  return (
    <>
      {maySend && campaign.status === 'scheduled' && (
        <Button busy={unschedule.isPending} onClick={() => unschedule.mutate(undefined)}>
          {t.campaigns.unschedule}
        </Button>
      )}
      {mayWrite && (
        <Button busy={duplicate.isPending} onClick={() => duplicate.mutate(undefined)}>
          {t.campaigns.duplicate}
        </Button>
      )}
      {mayDelete && (
        <Button look="danger" icon="trash" onClick={start}>
          {t.delete}
        </Button>
      )}
    </>
  );
}
