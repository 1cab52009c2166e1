import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Problem } from '../api/client';
import { wayBack } from '../app/return-path.rules';
import { Failed, Skeleton } from '../ui/states';
import { t } from '../words/words';
import { queries, sessionQuery, to } from './api';
import { Shell } from './shell';
import { OidcReturn, SignIn } from './sign-in';

const root = createRootRoute({
  notFoundComponent: () => <p className="px-4 py-20 text-center font-semibold">{t.notFound.title}</p>,
  errorComponent: ({ error }) => (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <Failed error={error instanceof Error ? error : new Error(String(error))} />
    </div>
  ),
});

const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignIn });

const oidc = createRoute({ getParentRoute: () => root, path: '/sign-in/oidc', component: OidcReturn });

/** Every page below it needs a session. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'operator',
  component: Shell,
  beforeLoad: async ({ location: { publicHref } }) => {
    try {
      await queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401) throw error;
      throw redirect({ ...to('/sign-in'), search: wayBack(publicHref.split('#')[0] ?? '') } as never);
    }
  },
});

const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => app, path, component });

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('./doctor-page'), 'DoctorPage'),
  ),
  page(
    '/queues',
    lazyRouteComponent(() => import('./queues-page'), 'QueuesPage'),
  ),
  page(
    '/queues/$name',
    lazyRouteComponent(() => import('./explain-page'), 'ExplainPage'),
  ),
  page(
    '/egress',
    lazyRouteComponent(() => import('./egress-page')),
  ),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('./webhooks-page'), 'WebhooksPage'),
  ),
  page(
    '/webhooks/$endpointId',
    lazyRouteComponent(() => import('./webhook-page'), 'WebhookPage'),
  ),
  page(
    '/dead-letters',
    lazyRouteComponent(() => import('./dead-letters-page'), 'DeadLettersPage'),
  ),
  page(
    '/jobs',
    lazyRouteComponent(() => import('./jobs-page'), 'JobsPage'),
  ),
  page(
    '/accounts',
    lazyRouteComponent(() => import('./accounts-page'), 'AccountsPage'),
  ),
  page(
    '/accounts/$accountId',
    lazyRouteComponent(() => import('./account-page'), 'AccountPage'),
  ),
  page(
    '/campaigns',
    lazyRouteComponent(() => import('./campaigns-page'), 'CampaignsPage'),
  ),
  page(
    '/campaigns/$campaignId',
    lazyRouteComponent(() => import('./campaign-page'), 'CampaignPage'),
  ),
  page(
    '/zone',
    lazyRouteComponent(() => import('./zone-page')),
  ),
  page(
    '/zone/$domain',
    lazyRouteComponent(() => import('./zone-domain-page')),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('./audit-page')),
  ),
  page(
    '/installation',
    lazyRouteComponent(() => import('./installation-page'), 'InstallationPage'),
  ),
];

export const router = createRouter({
  routeTree: root.addChildren([signIn, oidc, app.addChildren(pages)]),
  basepath: '/console',
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
