import type { IconName } from '../ui/icons';
import { t } from '../words/words';

export interface Place {
  readonly to:
    | '/'
    | '/messages'
    | '/domains'
    | '/webhooks'
    | '/suppressions'
    | '/developers'
    | '/templates'
    | '/audience'
    | '/campaigns'
    | '/statistics'
    | '/settings';
  readonly label: string;
  readonly icon: IconName;
}

/** In the order of a working day: what happened, what is set up, what is sent, what is looked up now and then. */
export const PLACES: readonly (readonly Place[])[] = [
  [
    { to: '/', label: t.nav.home, icon: 'home' },
    { to: '/messages', label: t.nav.messages, icon: 'messages' },
    { to: '/domains', label: t.nav.domains, icon: 'domains' },
    { to: '/webhooks', label: t.nav.webhooks, icon: 'webhooks' },
    { to: '/suppressions', label: t.nav.suppressions, icon: 'suppressions' },
  ],
  [
    { to: '/templates', label: t.nav.templates, icon: 'templates' },
    { to: '/audience', label: t.nav.audience, icon: 'audience' },
    { to: '/campaigns', label: t.nav.campaigns, icon: 'campaigns' },
    { to: '/statistics', label: t.nav.statistics, icon: 'statistics' },
  ],
  [
    { to: '/developers', label: t.nav.developers, icon: 'developers' },
    { to: '/settings', label: t.nav.settings, icon: 'settings' },
  ],
];
