import { useNavigate } from '@tanstack/react-router';
import { ID, placeCommands, type Command } from '../app/command-menu';
import { to } from './api';
import { PLACES } from './navigation';
import { accountLink } from './parts';
import { w } from './words';

const DOMAIN = /^(?:[a-z0-9-]+\.)+[a-z0-9-]{2,}$/i;

/** Pages by name; an account, a campaign or a webhook by its id; accounts by name or owner; a domain by its name. */
export function useCommands(text: string, onClose: () => void): Command[] {
  const navigate = useNavigate();
  const go = (path: string, search?: Record<string, string>) => {
    onClose();
    void navigate({ ...to(path), ...(search && { search }) } as never);
  };
  const open = (id: string, label: string, icon: Command['icon'], path: string): Command => ({
    ...{ id, label, icon },
    note: text.slice(0, 13),
    run: () => go(path),
  });
  // an id does not say of what it is
  const byId = ID.test(text)
    ? [
        open('account', w.command.account, 'audience', accountLink(text)),
        open('campaign', w.command.campaign, 'campaigns', `/campaigns/${text}`),
        open('webhook', w.command.webhook, 'webhooks', `/webhooks/${text}`),
        {
          id: 'audit',
          label: w.command.audit,
          icon: 'check' as const,
          run: () => go('/audit', { account: text }),
        },
      ]
    : [];
  const domain = DOMAIN.test(text)
    ? [
        open('domain', w.command.domain(text), 'domains', `/zone/${encodeURIComponent(text.toLowerCase())}`),
        open(
          'explain',
          w.command.explain(text),
          'clock',
          `/queues/${encodeURIComponent(text.toLowerCase())}`,
        ),
      ]
    : [];
  const accounts: Command[] =
    text.length >= 2 && !ID.test(text)
      ? [
          {
            id: 'accounts',
            label: w.command.accounts(text),
            icon: 'audience',
            run: () => go('/accounts', { search: text }),
          },
        ]
      : [];
  return [...byId, ...domain, ...placeCommands(PLACES, text, go), ...accounts];
}
