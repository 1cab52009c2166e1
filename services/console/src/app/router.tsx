import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  useRouter,
} from '@tanstack/react-router';
import { Problem } from '../api/client';
import { queries, sessionQuery } from '../api/session';
import { readRequestFilters } from '../developers/request-filters.rules';
import { readMessageFilters } from '../messages/message-filters.rules';
import { Failed, Skeleton } from '../ui/states';
import { LinkButton } from '../ui/button';
import { t } from '../words/words';
import { wayBack } from './return-path.rules';
import { Shell } from './shell';
import { SignIn } from './sign-in';

const root = createRootRoute({
  notFoundComponent: () => (
    <div className="mx-auto flex max-w-md flex-col items-start gap-3 px-4 py-20">
      <h1 className="text-xl font-semibold">{t.notFound.title}</h1>
      <p className="text-ink-2">{t.notFound.text}</p>
      <LinkButton to="/">{t.nav.home}</LinkButton>
    </div>
  ),
  errorComponent: ({ error }) => <Crash error={error instanceof Error ? error : new Error(String(error))} />,
});

function Crash({ error }: { error: Error }) {
  const router = useRouter();
  return (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <Failed error={error} retry={() => void router.invalidate()} />
    </div>
  );
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    typeof to === 'string' ? { to } : {},
  component: SignIn,
});

const oidc = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/oidc',
  component: lazyRouteComponent(() => import('./oidc-page')),
});

/** Every page below it needs a session. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  beforeLoad: async ({ location: { publicHref } }) => {
    try {
      await queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof Problem && error.status === 401)
        throw redirect({ to: '/sign-in', search: wayBack(publicHref.split('#')[0] ?? '') });
      throw error;
    }
  },
});

/** The part of a page that is open. */
const tab = ({ tab: chosen }: Record<string, unknown>): { tab?: string } =>
  typeof chosen === 'string' ? { tab: chosen } : {};

/** The text that a list is searched by. */
const search = ({ q, tab: chosen }: Record<string, unknown>): { q?: string; tab?: string } => ({
  ...(typeof q === 'string' && q !== '' ? { q } : {}),
  ...tab({ tab: chosen }),
});

const below = { getParentRoute: () => app } as const;
const pages = [
  createRoute({
    ...below,
    path: '/',
    component: lazyRouteComponent(() => import('../home/home-page'), 'HomePage'),
  }),
  createRoute({
    ...below,
    path: '/messages',
    validateSearch: readMessageFilters,
    component: lazyRouteComponent(() => import('../messages/messages-page'), 'MessagesPage'),
  }),
  createRoute({
    ...below,
    path: '/messages/$messageId',
    // several records may share a Message-ID: the one of this recipient
    validateSearch: ({
      tab: chosen,
      recipient,
    }: Record<string, unknown>): { tab?: string; recipient?: string } => ({
      ...tab({ tab: chosen }),
      ...(typeof recipient === 'string' && recipient !== '' ? { recipient } : {}),
    }),
    component: lazyRouteComponent(() => import('../messages/message-page'), 'MessagePage'),
  }),
  createRoute({
    ...below,
    path: '/about/$address',
    component: lazyRouteComponent(() => import('../messages/about-address-page'), 'AboutAddressPage'),
  }),
  createRoute({
    ...below,
    path: '/domains',
    component: lazyRouteComponent(() => import('../domains/domains-page'), 'DomainsPage'),
  }),
  createRoute({
    ...below,
    path: '/domains/$domain',
    validateSearch: (given: Record<string, unknown>): { tab?: string; check?: string } => ({
      ...tab(given),
      ...(typeof given['check'] === 'string' ? { check: given['check'] } : {}),
    }),
    component: lazyRouteComponent(() => import('../domains/domain-page'), 'DomainPage'),
  }),
  createRoute({
    ...below,
    path: '/webhooks',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../webhooks/webhooks-page'), 'WebhooksPage'),
  }),
  createRoute({
    ...below,
    path: '/webhooks/$webhookId',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../webhooks/webhook-page'), 'WebhookPage'),
  }),
  createRoute({
    ...below,
    path: '/routes/$routeId',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../webhooks/route-page'), 'RoutePage'),
  }),
  createRoute({
    ...below,
    path: '/suppressions',
    validateSearch: search,
    component: lazyRouteComponent(() => import('../suppressions/suppressions-page'), 'SuppressionsPage'),
  }),
  createRoute({
    ...below,
    path: '/suppressions/import',
    component: lazyRouteComponent(() => import('../suppressions/import-page'), 'SuppressionImportPage'),
  }),
  createRoute({
    ...below,
    path: '/developers',
    validateSearch: (given: Record<string, unknown>) => ({ ...tab(given), ...readRequestFilters(given) }),
    component: lazyRouteComponent(() => import('../developers/developers-page'), 'DevelopersPage'),
  }),
  createRoute({
    ...below,
    path: '/developers/requests/$requestId',
    component: lazyRouteComponent(() => import('../developers/request-page')),
  }),
  createRoute({
    ...below,
    path: '/templates',
    component: lazyRouteComponent(() => import('../templates/templates-page'), 'TemplatesPage'),
  }),
  createRoute({
    ...below,
    path: '/templates/import',
    component: lazyRouteComponent(() => import('../templates/import-page'), 'TemplateImportPage'),
  }),
  createRoute({
    ...below,
    path: '/templates/$templateId',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../templates/template-page'), 'TemplatePage'),
  }),
  createRoute({
    ...below,
    path: '/audience',
    validateSearch: search,
    component: lazyRouteComponent(() => import('../audience/audience-page'), 'AudiencePage'),
  }),
  createRoute({
    ...below,
    path: '/audience/lists/$listId',
    component: lazyRouteComponent(() => import('../audience/list-page'), 'ListPage'),
  }),
  createRoute({
    ...below,
    path: '/audience/contacts/$contactId',
    component: lazyRouteComponent(() => import('../audience/contact-page'), 'ContactPage'),
  }),
  createRoute({
    ...below,
    path: '/audience/forms/$formId',
    component: lazyRouteComponent(() => import('../audience/form-page')),
  }),
  createRoute({
    ...below,
    path: '/audience/import',
    component: lazyRouteComponent(() => import('../audience/import-page'), 'ImportPage'),
  }),
  createRoute({
    ...below,
    path: '/campaigns',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../campaigns/campaigns-page'), 'CampaignsPage'),
  }),
  createRoute({
    ...below,
    path: '/campaigns/templates/$templateId',
    component: lazyRouteComponent(() => import('../campaigns/campaign-template-page')),
  }),
  createRoute({
    ...below,
    path: '/campaigns/$campaignId',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../campaigns/campaign-page'), 'CampaignPage'),
  }),
  createRoute({
    ...below,
    path: '/statistics',
    validateSearch: (given: Record<string, unknown>): { days?: string; domain?: string; tag?: string } => ({
      ...(typeof given['days'] === 'string' ? { days: given['days'] } : {}),
      ...(typeof given['domain'] === 'string' ? { domain: given['domain'] } : {}),
      ...(typeof given['tag'] === 'string' ? { tag: given['tag'] } : {}),
    }),
    component: lazyRouteComponent(() => import('../statistics/statistics-page'), 'StatisticsPage'),
  }),
  createRoute({
    ...below,
    path: '/settings',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../settings/settings-page'), 'SettingsPage'),
  }),
  createRoute({
    ...below,
    path: '/settings/sub-accounts/$subAccountId',
    validateSearch: tab,
    component: lazyRouteComponent(() => import('../settings/sub-account-page')),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([signIn, oidc, app.addChildren(pages)]),
  basepath: '/console',
  // plain text on both sides: an address of a page can be read, and written by hand
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (given) => {
    const pairs = Object.entries(given).filter(([, value]) => value !== undefined && value !== '');
    return pairs.length === 0
      ? ''
      : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
  },
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => (
    <div className="mx-auto max-w-6xl px-4 pt-8 sm:px-8">
      <Skeleton />
    </div>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
