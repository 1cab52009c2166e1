import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, back, once, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Modal, ModalActions } from '../ui/modal';
import { notify, notifyWithUndo, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { isBeforeSending, isPausedByMember, isUnderWay, type Campaign } from './campaign-states';

const HOLDS = {
  pause: '/console/api/campaigns/{campaign_id}/pause',
  resume: '/console/api/campaigns/{campaign_id}/resume',
  cancel: '/console/api/campaigns/{campaign_id}/cancel',
} as const;

/** Pauses, resumes or cancels a campaign that is being sent. A pause can be taken back. */
function useHold({ id }: Campaign) {
  const run = (action: keyof typeof HOLDS) =>
    read(back.POST(HOLDS[action], { params: { path: { campaign_id: id } } }));
  const changes = [['campaigns'], ['campaign-stats'], ['campaign-recipients']];
  const resume = useAction(() => run('resume'), { changes });
  return useAction(run, {
    changes,
    done: (_answer, action) => {
      if (action === 'pause') notifyWithUndo(t.campaigns.held.pause, () => resume.mutate(undefined));
      else notify(t.campaigns.held[action]);
    },
  });
}

export function CampaignActions({ campaign }: { campaign: Campaign }) {
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
  const hold = useHold(campaign);
  const [isCanceling, setCanceling] = useState(false);
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
      {maySend && campaign.status === 'sending' && (
        <Button busy={hold.isPending} onClick={() => hold.mutate('pause')}>
          {t.campaigns.pause}
        </Button>
      )}
      {maySend && isPausedByMember(campaign) && (
        <Button look="primary" busy={hold.isPending} onClick={() => hold.mutate('resume')}>
          {t.campaigns.resume}
        </Button>
      )}
      {maySend && isUnderWay(campaign.status) && (
        <Button look="danger" onClick={() => setCanceling(true)}>
          {t.campaigns.cancel}
        </Button>
      )}
      {isCanceling && (
        <Modal title={t.campaigns.cancelTitle(campaign.name)} onClose={() => setCanceling(false)}>
          <p className="text-ink-2">{t.campaigns.cancelText}</p>
          <ModalActions>
            <Button onClick={() => setCanceling(false)}>{t.campaigns.keep}</Button>
            <Button
              look="danger"
              autoFocus
              busy={hold.isPending}
              onClick={() => hold.mutate('cancel', { onSettled: () => setCanceling(false) })}
            >
              {t.campaigns.cancel}
            </Button>
          </ModalActions>
        </Modal>
      )}
      {maySend && isBeforeSending(campaign.status) && (
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
