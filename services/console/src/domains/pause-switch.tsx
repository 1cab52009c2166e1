import { useQueryClient } from '@tanstack/react-query';
import { back, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { notify, notifyWithUndo } from '../ui/toasts';
import { t } from '../words/words';

/** Pauses the domain, or ends a pause by its owner. Support lifts any other. */
export function PauseSwitch({ domain: { domain, paused } }: { domain: Schemas['Domain'] }) {
  const account = useAccount();
  const client = useQueryClient();
  const isAllowed = useCan('domains:write');
  const toggle = useAction(
    (pauses: boolean) => {
      const given = { params: { path: { domain } } };
      return read(
        pauses
          ? back.POST('/console/api/domains/{domain}/pause', given)
          : back.POST('/console/api/domains/{domain}/resume', given),
      );
    },
    {
      changes: [['domains']],
      done: (changed, pauses) => {
        client.setQueryData(['domain', account.account_id, domain], changed);
        if (pauses) notifyWithUndo(t.domains.pausedNow(domain), () => toggle.mutate(false));
        else notify(t.domains.resumed(domain));
      },
    },
  );
  if (!isAllowed) return null;
  return (
    <Button {...(paused && { icon: 'play' })} busy={toggle.isPending} onClick={() => toggle.mutate(!paused)}>
      {paused ? t.domains.resume : t.domains.pause}
    </Button>
  );
}
