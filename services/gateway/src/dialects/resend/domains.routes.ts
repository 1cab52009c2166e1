import { apiResponse } from '@postmesh/contracts';
import { z } from 'zod';
import type { DialectRoute, Plan, Result } from '../dialect.js';
import { refused, required, supported, translate, unless, type FieldTable } from '../fields.js';
import { text } from '../readers.js';
import { first, LIST_QUERY, pageOf } from './pages.js';

const byAccount = refused('tracking is a setting of the account and of each message');
const subdomain = supported('`tracking_subdomain`', (value, name) => ({
  tracking_subdomain: text(value, name),
}));
const transport = refused('TLS is used where a server offers it', unless('opportunistic'));
const capabilities = refused('every domain sends; inbound mail has routes');

/** The one place of an installation, by a name that their clients know. */
const REGION = 'eu-west-1';

const NEW_DOMAIN: FieldTable = {
  name: required(supported('`domain`', (value, name) => ({ domain: text(value, name) }))),
  custom_return_path: supported('`return_path_subdomain`', (value, name) => ({
    return_path_subdomain: text(value, name),
  })),
  tracking_subdomain: subdomain,
  region: refused('an installation has one region', unless(REGION)),
  open_tracking: byAccount,
  click_tracking: byAccount,
  tls: transport,
  capabilities,
};

const DOMAIN_CHANGE: FieldTable = {
  tracking_subdomain: subdomain,
  open_tracking: byAccount,
  click_tracking: byAccount,
  tls: transport,
  capabilities,
};

const Domain = z.object({
  domain: z.string(),
  created_at: z.string(),
  dns_valid: z.boolean(),
  last_dns_check_at: z.string().nullable(),
  tracking_subdomain: z.string().nullable(),
  dns_records: z.array(
    z.object({
      label: z.string(),
      type: z.string(),
      host: z.string(),
      content: z.string(),
      propagated: z.boolean(),
    }),
  ),
});
type Domain = z.infer<typeof Domain>;

/** Their kinds of records by our labels; any other authenticates the domain. */
const KINDS: Readonly<Record<string, string>> = {
  DKIM: 'DKIM',
  'DKIM standby': 'DKIM',
  Tracking: 'Tracking',
  MX: 'Receiving',
};

function recordsOf({ dns_records: records }: Domain): object[] {
  return records.map(({ label, type, host, content, propagated }) => {
    const [, priority, exchange] = /^(\d+) (.+)$/.exec(type === 'MX' ? content : '') ?? [];
    return {
      record: KINDS[label] ?? 'SPF',
      name: host,
      value: exchange ?? content,
      type,
      ttl: 'Auto',
      status: propagated ? 'verified' : 'not_started',
      ...(priority !== undefined && { priority: Number(priority) }),
    };
  });
}

function domainOf(domain: Domain): object {
  const { last_dns_check_at: checkedAt, dns_valid: isValid, tracking_subdomain } = domain;
  return {
    id: domain.domain,
    name: domain.domain,
    status: isValid ? 'verified' : checkedAt === null ? 'not_started' : 'pending',
    created_at: domain.created_at,
    region: REGION,
    capabilities: { sending: 'enabled', receiving: 'disabled' },
    ...(tracking_subdomain !== null && { tracking_subdomain }),
  };
}

const whole = ({ body }: Result, status: number, more: object = {}) => {
  const domain = Domain.parse(body);
  return apiResponse(status, { ...more, ...domainOf(domain), records: recordsOf(domain) });
};

const byName = ({ params }: { params: Readonly<Record<string, string>> }) => ({ domain: params['id'] ?? '' });

export const DOMAIN_ROUTES: Readonly<Record<string, DialectRoute>> = {
  'domains.create': {
    method: 'POST',
    path: '/domains',
    what: 'Create a domain',
    becomes: '`POST …/domains`',
    fields: NEW_DOMAIN,
    accepts: 'json',
    plan: ({ body }): Plan => {
      const domain = translate(NEW_DOMAIN, body);
      return {
        calls: [{ operation: 'domains.create', body: () => domain }],
        answer: (results) => whole(first(results), 201),
      };
    },
  },
  'domains.list': {
    method: 'GET',
    path: '/domains',
    what: 'List domains',
    becomes: '`GET …/domains`: the newest 100',
    query: LIST_QUERY,
    plan: ({ query }): Plan => ({
      calls: [{ operation: 'domains.list', query }],
      answer: (results) => pageOf(first(results), (item) => domainOf(Domain.parse(item))),
    }),
  },
  'domains.get': {
    method: 'GET',
    path: '/domains/{id}',
    what: 'Read a domain',
    becomes: '`GET …/domains/{domain}`',
    plan: (given): Plan => ({
      calls: [{ operation: 'domains.get', params: byName(given) }],
      answer: (results) => whole(first(results), 200, { object: 'domain' }),
    }),
  },
  'domains.update': {
    method: 'PATCH',
    path: '/domains/{id}',
    what: 'Change a domain',
    becomes: '`PUT …/domains/{domain}`',
    fields: DOMAIN_CHANGE,
    accepts: 'json',
    plan: (given): Plan => {
      const change = translate(DOMAIN_CHANGE, given.body);
      return {
        calls: [{ operation: 'domains.update', params: byName(given), body: () => change }],
        answer: () => apiResponse(200, { object: 'domain', id: given.params['id'] }),
      };
    },
  },
  'domains.remove': {
    method: 'DELETE',
    path: '/domains/{id}',
    what: 'Delete a domain',
    becomes: '`DELETE …/domains/{domain}`',
    plan: (given): Plan => ({
      calls: [{ operation: 'domains.delete', params: byName(given) }],
      answer: () => apiResponse(200, { object: 'domain', id: given.params['id'], deleted: true }),
    }),
  },
  'domains.verify': {
    method: 'POST',
    path: '/domains/{id}/verify',
    what: 'Verify a domain',
    becomes: '`POST …/domains/{domain}/check-dns`',
    plan: (given): Plan => ({
      calls: [{ operation: 'domains.check-dns', params: byName(given) }],
      answer: () => apiResponse(200, { object: 'domain', id: given.params['id'] }),
    }),
  },
};
