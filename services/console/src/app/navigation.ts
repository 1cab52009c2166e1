import { can, useSession, type Session } from '../api/session';
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

/** A part of a page with a name of its own, which the command menu finds, too. */
export interface Part extends Place {
  readonly tab: string;
}

const PARTS: readonly Part[] = [
  {
    ...{ to: '/campaigns', tab: 'templates', label: t.campaignTemplates.title },
    ...{ icon: 'campaigns', scope: 'templates:read' },
  },
  { to: '/audience', tab: 'lists', label: t.lists.tab, icon: 'audience', scope: 'lists:read' },
  { to: '/audience', tab: 'forms', label: t.forms.tab, icon: 'audience', scope: 'lists:read' },
  { to: '/webhooks', tab: 'routes', label: t.routes.tab, icon: 'webhooks', scope: 'routes:read:all' },
  { to: '/developers', tab: 'keys', label: t.keys.title, icon: 'developers', scope: 'api-keys:read' },
  {
    ...{ to: '/developers', tab: 'smtp', label: t.smtp.title },
    ...{ icon: 'developers', scope: 'smtp-credentials:read:all' },
  },
  {
    ...{ to: '/developers', tab: 'requests', label: t.requestLog.title },
    ...{ icon: 'developers', scope: 'api-keys:write' },
  },
  {
    ...{ to: '/settings', tab: 'members', label: t.members.title },
    ...{ icon: 'settings', scope: 'accounts:members:read' },
  },
  { to: '/settings', tab: 'sign-in', label: t.settings.signIn, icon: 'settings' },
  {
    ...{ to: '/settings', tab: 'sub-accounts', label: t.subAccounts.title },
    ...{ icon: 'settings', scope: 'sub-accounts:read' },
  },
  {
    ...{ to: '/settings', tab: 'audit', label: t.audit.title },
    ...{ icon: 'settings', scope: 'accounts:members:update' },
  },
];

const opens = (session: Session, { scope }: Place): boolean => scope === undefined || can(session, scope);

/** The places that the role of the member opens. */
export function usePlaces(): Place[][] {
  const session = useSession();
  return PLACES.map((group) => group.filter((place) => opens(session, place))).filter(
    (group) => group.length > 0,
  );
}

export function useParts(): Part[] {
  const session = useSession();
  return PARTS.filter((part) => opens(session, part));
}
