import { z } from 'zod';
import { matchesHost, PROVIDER_HOSTS } from '@postmesh/smtp-replies';

/** `.suffix` of at least two labels, or the name of one host; lower case, ASCII. */
const HostPattern = z
  .string()
  .max(253)
  .regex(/^\.?(?:[a-z0-9_-]+\.)+[a-z0-9-]+$/, "must be a host name, or '.' and the end of host names");

const Connections = z
  .strictObject({
    /** initial limit from one source address, all workers together */
    start: z.number().int().min(1).max(5_000),
    /** upper limit of learning */
    cap: z.number().int().min(1).max(5_000),
    /** `provider`: all its domains share them; `site`: each set of MX hosts has its own */
    per: z.enum(['provider', 'site']),
  })
  .refine(({ start, cap }) => start <= cap, 'start must not be above cap');

const Provider = z.strictObject({
  /** part of group keys (`p:<id>`), so it never changes */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be up to 40 of a-z, 0-9 and -'),
  /** a domain is the provider's when every one of its MX hosts matches; empty only for `default` */
  match: z.array(HostPattern).max(50),
  connections: Connections,
  /** messages over one connection */
  perConnection: z.number().int().min(1).max(10_000),
  /** messages per second from one source address; missing: as fast as the connections are, until a reply slows it down */
  ratePerSecond: z.number().min(0.01).max(10_000).optional(),
  /** `false`: its replies teach no limits */
  learns: z.literal(false).optional(),
  /** `wanted`: the provider requests it, while TLS stays opportunistic; `required` is for operators to set */
  tls: z.enum(['opportunistic', 'wanted', 'required']),
  /** the source of the numbers */
  source: z.strictObject({ url: z.string().min(1), seen: z.iso.date() }),
});

/** Initial limits of one mailbox provider, until its replies change them. `default` is for every other host. */
export type Provider = z.output<typeof Provider>;

/** By id; `default` is always there. */
export type Providers = ReadonlyMap<string, Provider>;

export const DEFAULT_PROVIDER = 'default';

/** Rules over all rows together. */
export const ProviderTable = z
  .array(Provider)
  .max(500)
  .superRefine((rows, context) => {
    for (const message of tableFaults(rows)) context.addIssue({ code: 'custom', message });
  });

function tableFaults(rows: readonly Provider[]): string[] {
  const ids = rows.map(({ id }) => id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: the id is used twice`);
  const unmatched = rows
    .filter(({ id, match }) => (match.length === 0) !== (id === DEFAULT_PROVIDER))
    .map(({ id }) => `${id}: only '${DEFAULT_PROVIDER}', and always '${DEFAULT_PROVIDER}', matches no hosts`);
  const missing = ids.includes(DEFAULT_PROVIDER) ? [] : [`there is no row '${DEFAULT_PROVIDER}'`];
  return [...twice, ...unmatched, ...missing, ...coveredPatterns(rows)];
}

/** Finds patterns that match the same hosts: at most one row may match a host. */
function coveredPatterns(rows: readonly Provider[]): string[] {
  const patterns = rows.flatMap(({ id, match }) => match.map((pattern) => ({ id, pattern })));
  return patterns.flatMap((one, at) =>
    patterns
      .filter((other, otherAt) => at !== otherAt && matchesHost(one.pattern, other.pattern))
      .map((other) => `${one.id}: ${one.pattern} covers ${other.pattern} of ${other.id}`),
  );
}

const seen = '2026-11-21';
const KUMO = { url: 'https://github.com/KumoCorp/kumomta/blob/main/assets/policy-extras/shaping.toml', seen };
const KUMO_COMMUNITY = {
  url: 'https://github.com/KumoCorp/kumomta/blob/main/assets/community/shaping.toml',
  seen,
};
const MICROSOFT = { url: 'https://sendersupport.olc.protection.outlook.com/pm/policies', seen };
const YAHOO = { url: 'https://senders.yahooinc.com/best-practices', seen };
const COMCAST = { url: 'https://spa.xfinity.com/postmaster', seen };
// Hosts as published in DNS; the numbers are our own, cautious ones.
const OURS = { url: 'docs/decisions/0038-mx-groups.md', seen };

const perProvider = (start: number, cap: number) => ({ start, cap, per: 'provider' as const });
const perSite = (start: number, cap: number) => ({ start, cap, per: 'site' as const });
const careful = {
  connections: perProvider(3, 10),
  perConnection: 20,
  tls: 'opportunistic',
  source: OURS,
} as const;

const TABLE: z.input<typeof ProviderTable> = [
  {
    id: 'google',
    match: [...PROVIDER_HOSTS.google],
    connections: perProvider(5, 20),
    perConnection: 50,
    tls: 'wanted',
    source: KUMO,
  },
  {
    // Microsoft publishes a limit of 500 connections; ours stays far below
    id: 'outlook',
    match: [...PROVIDER_HOSTS.outlook],
    connections: perProvider(5, 50),
    perConnection: 50,
    tls: 'opportunistic',
    source: MICROSOFT,
  },
  {
    // a host set per tenant, with one edge behind all of them
    id: 'm365',
    match: [...PROVIDER_HOSTS.m365],
    connections: perProvider(10, 50),
    perConnection: 50,
    tls: 'opportunistic',
    source: KUMO,
  },
  {
    // an edge of its own, for domains with DANE
    id: 'm365-dane',
    match: [...PROVIDER_HOSTS['m365-dane']],
    connections: perProvider(10, 50),
    perConnection: 50,
    tls: 'opportunistic',
    source: KUMO,
  },
  {
    // closes the connection without a reply after its limit, which is no failure
    id: 'yahoo',
    match: [...PROVIDER_HOSTS.yahoo],
    connections: perProvider(5, 20),
    perConnection: 20,
    tls: 'opportunistic',
    source: YAHOO,
  },
  {
    id: 'yahoo-jp',
    match: [...PROVIDER_HOSTS['yahoo-jp']],
    connections: perProvider(2, 2),
    perConnection: 20,
    ratePerSecond: 10,
    tls: 'opportunistic',
    source: KUMO_COMMUNITY,
  },
  {
    id: 'apple',
    match: [...PROVIDER_HOSTS.apple],
    connections: perProvider(10, 20),
    perConnection: 5,
    tls: 'opportunistic',
    source: KUMO,
  },
  {
    id: 'comcast',
    match: [...PROVIDER_HOSTS.comcast],
    connections: perProvider(10, 25),
    perConnection: 100,
    tls: 'wanted',
    source: COMCAST,
  },
  {
    id: 'gmx',
    match: [...PROVIDER_HOSTS.gmx],
    connections: perProvider(4, 4),
    perConnection: 20,
    tls: 'wanted',
    source: KUMO_COMMUNITY,
  },
  {
    id: 'orange',
    match: [...PROVIDER_HOSTS.orange],
    connections: perProvider(2, 3),
    perConnection: 100,
    tls: 'wanted',
    source: KUMO,
  },
  {
    id: 'laposte',
    match: [...PROVIDER_HOSTS.laposte],
    connections: perProvider(2, 3),
    perConnection: 100,
    tls: 'wanted',
    source: OURS,
  },
  {
    // each set of hosts is a region with servers of its own
    id: 'mimecast',
    match: [...PROVIDER_HOSTS.mimecast],
    connections: perSite(10, 10),
    perConnection: 100,
    tls: 'opportunistic',
    source: KUMO,
  },
  {
    id: 'barracuda',
    match: [...PROVIDER_HOSTS.barracuda],
    connections: perProvider(5, 10),
    perConnection: 15,
    tls: 'wanted',
    source: KUMO_COMMUNITY,
  },
  {
    id: 'qq',
    match: [...PROVIDER_HOSTS.qq],
    connections: perProvider(2, 4),
    perConnection: 8,
    tls: 'wanted',
    source: KUMO_COMMUNITY,
  },
  {
    id: 'netease',
    match: [...PROVIDER_HOSTS.netease],
    connections: perProvider(2, 4),
    perConnection: 7,
    tls: 'wanted',
    source: KUMO_COMMUNITY,
  },
  {
    id: 'kpn',
    match: [...PROVIDER_HOSTS.kpn],
    connections: perProvider(5, 10),
    perConnection: 10,
    tls: 'wanted',
    source: KUMO_COMMUNITY,
  },
  {
    id: 'netvigator',
    match: [...PROVIDER_HOSTS.netvigator],
    connections: perProvider(5, 5),
    perConnection: 10,
    tls: 'wanted',
    source: KUMO_COMMUNITY,
  },
  { id: 'godaddy', match: [...PROVIDER_HOSTS.godaddy], ...careful },
  { id: 't-online', match: [...PROVIDER_HOSTS['t-online']], ...careful },
  { id: 'mail-ru', match: [...PROVIDER_HOSTS['mail-ru']], ...careful },
  { id: 'yandex', match: [...PROVIDER_HOSTS.yandex], ...careful },
  { id: 'proofpoint', match: [...PROVIDER_HOSTS.proofpoint], ...careful, connections: perSite(3, 10) },
  {
    // local-internet's sink gives the reply that an address selects: one test of a block must not suspend all others
    id: 'local-internet',
    match: ['mx.local-internet.test'],
    connections: perProvider(200, 500),
    perConnection: 500,
    learns: false,
    tls: 'opportunistic',
    source: { url: 'docs/decisions/0039-learnt-limits.md', seen },
  },
  {
    id: DEFAULT_PROVIDER,
    match: [],
    connections: perSite(3, 20),
    perConnection: 100,
    tls: 'opportunistic',
    source: KUMO,
  },
];

/** Parsed once, at the start, which fails if the table is broken. */
export const PROVIDERS: Providers = byId(ProviderTable.parse(TABLE));

export function byId(rows: readonly Provider[]): Providers {
  return new Map(rows.map((row) => [row.id, row]));
}
