import { ApiErrors, mayTouch, unnamedDomains, type Principal } from '@postmesh/contracts';
import type { SealedColumn } from '@postmesh/secrets';
import type { Settings } from '@postmesh/settings';
import type { EndpointEntity } from '../database/endpoint.entity.js';
import { RouteEntity } from '../database/route.entity.js';
import { WebhookEntity } from '../database/webhook.entity.js';

/**
 * A kind of endpoint: webhooks are called with events, routes with received mail. Code with a kind as its parameter
 * serves both; the kind contains the differences.
 */
export interface EndpointKind<E extends EndpointEntity = EndpointEntity> {
  /** in texts, logs and events */
  readonly name: 'webhook' | 'route';
  readonly table: 'webhooks' | 'routes';
  readonly entity: new () => E;
  /** both are re-encrypted by a rotation of the secret keys */
  readonly sealedSecret: SealedColumn;
  readonly sealedUrl: SealedColumn;
  /** a new signing secret: `<prefix of keys>-<mark>-<letters and digits>` */
  readonly secretMark: string;
  readonly secretLength: number;
  /** name of the lock that serialises the creates of an account; releases side by side share it */
  readonly createLock: string;
  /** the limit per account */
  limitIn(settings: Settings): number;
  /** a key with a scope for one of these may use the endpoint; without domains it needs the scope for all */
  domainsOf(endpoint: E): readonly string[];
}

export const WEBHOOK: EndpointKind<WebhookEntity> = {
  name: 'webhook',
  table: 'webhooks',
  entity: WebhookEntity,
  ...sealedColumns('webhook', 'webhooks'),
  secretMark: 'whsec',
  secretLength: 64,
  createLock: 'webhooks added to an account',
  limitIn: ({ webhookLimit }) => webhookLimit,
  domainsOf: ({ domains }) => domains,
};

export const ROUTE: EndpointKind<RouteEntity> = {
  name: 'route',
  table: 'routes',
  entity: RouteEntity,
  ...sealedColumns('route', 'routes'),
  secretMark: 'rsec',
  secretLength: 32,
  createLock: 'routes of an account',
  limitIn: ({ routeLimit }) => routeLimit,
  domainsOf: ({ recipient_domain: domain }) => (domain === null ? [] : [domain]),
};

export const ENDPOINT_KINDS: readonly EndpointKind[] = [WEBHOOK, ROUTE];

function sealedColumns(name: string, table: string): Pick<EndpointKind, 'sealedSecret' | 'sealedUrl'> {
  const primaryKey = { id: 'uuid' } as const;
  return {
    sealedSecret: {
      kind: `${name}-secrets`,
      table,
      primaryKey,
      column: 'sealed_secret',
      about: (id) => `${name}/${id}`,
    },
    sealedUrl: {
      kind: `${name}-urls`,
      table,
      primaryKey,
      column: 'sealed_url',
      about: (id) => `${name}-url/${id}`,
    },
  };
}

/** The target in events about an endpoint: absent for a webhook, as in releases without routes. */
export const targetInEvents = ({ name }: EndpointKind): { target?: 'route' } =>
  name === 'route' ? { target: name } : {};

export type Action = 'read' | 'write' | 'delete';

/**
 * Rule "any-of" (spec 1-platform §2.4).
 * @param domains of `domainsOf`
 * @throws ApiError 403
 */
export function requireScope(
  { table }: EndpointKind,
  holder: Pick<Principal, 'scopes'>,
  { action, domains }: { action: Action; domains: readonly string[] },
): void {
  const family = `${table}:${action}` as const;
  if (!mayTouch(holder, family, domains)) {
    throw ApiErrors.missingDomainScope(family, unnamedDomains(domains));
  }
}
