import { can, useSession } from '../api/session';
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
  /** what its page is read with; none: each role reads it */
  readonly scope?: string;
}

/** In the order of a working day: what happened, what is set up, what is sent, what is looked up now and then. */
const PLACES: readonly (readonly Place[])[] = [
  [
    { to: '/', label: t.nav.home, icon: 'home' },
    { to: '/messages', label: t.nav.messages, icon: 'messages', scope: 'messages:read:all' },
    { to: '/domains', label: t.nav.domains, icon: 'domains', scope: 'domains:read' },
    { to: '/webhooks', label: t.nav.webhooks, icon: 'webhooks', scope: 'webhooks:read:all' },
    { to: '/suppressions', label: t.nav.suppressions, icon: 'suppressions', scope: 'suppressions:read' },
  ],
  [
    { to: '/templates', label: t.nav.templates, icon: 'templates', scope: 'templates:read' },
    { to: '/audience', label: t.nav.audience, icon: 'audience', scope: 'contacts:read' },
    { to: '/campaigns', label: t.nav.campaigns, icon: 'campaigns', scope: 'campaigns:read' },
    {
      to: '/statistics',
      label: t.nav.statistics,
      icon: 'statistics',
      scope: 'statistics-transactional:read:all',
    },
  ],
  [
    { to: '/developers', label: t.nav.developers, icon: 'developers', scope: 'api-keys:read' },
    { to: '/settings', label: t.nav.settings, icon: 'settings' },
  ],
];

/** The places that the role of the member opens. */
export function usePlaces(): Place[][] {
  const session = useSession();
  return PLACES.map((group) =>
    group.filter(({ scope }) => scope === undefined || can(session, scope)),
  ).filter((group) => group.length > 0);
}
