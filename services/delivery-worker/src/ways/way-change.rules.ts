import { isIP } from 'node:net';
import { z } from 'zod';
import {
  DEFAULT_POOL,
  RELAY_TLS,
  usesRelays,
  usesSources,
  WAY_ORDERS,
  type Pool,
  type PoolRule,
  type RelayRow,
  type SourceRow,
  type WayData,
} from './ways.rules.js';

const Id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and -');
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;
const HostName = z
  .string()
  .regex(HOST_NAME, 'must be a full host name')
  .transform((name) => name.toLowerCase());
const Choice = z.enum(['move', 'wait']);

export const PoolBody = z.strictObject({
  order: z.enum(WAY_ORDERS).optional(),
  when_blocked: Choice.optional(),
  over_budget: Choice.optional(),
});

export const SourceBody = z.strictObject({
  address: z
    .string()
    .refine((text) => isIP(text) !== 0 && !text.includes('%'), 'must be an IP address')
    .optional(),
  ehlo: HostName.optional(),
  pool: Id.optional(),
  warm_up: z.boolean().optional(),
});

export const RelayBody = z.strictObject({
  host: z.union([HostName, z.string().refine((text) => isIP(text) !== 0)]).optional(),
  port: z.int().min(1).max(65_535).optional(),
  tls: z.enum(RELAY_TLS).optional(),
  user: z.string().min(1).max(255).nullable().optional(),
  password: z.string().min(1).max(1_000).nullable().optional(),
  pool: Id.optional(),
  place: z.int().min(0).max(1_000).optional(),
  /** the relay may be spoken to in clear text */
  allow_plaintext: z.boolean().optional(),
});

export const RuleBody = z.strictObject({
  pool: Id,
  place: z.int().min(0).max(100_000).optional(),
  account_id: z.uuid().nullable().optional(),
  sending_domain: HostName.nullable().optional(),
  provider: z.string().min(1).max(100).nullable().optional(),
  stream: z.enum(['single', 'bulk']).nullable().optional(),
  tag: z.string().min(1).max(100).nullable().optional(),
});

export type WayKind = 'pools' | 'sources' | 'relays' | 'rules';
export const WayId = Id;

// A worker reads all of them, and each is tried for a message.
const MOST: Readonly<Record<WayKind, number>> = { pools: 64, sources: 256, relays: 64, rules: 1_000 };

/** A row after a change, or why the change is refused. */
export type Changed<Row> = { readonly row: Row } | { readonly refused: string };

const refused = (reason: string) => ({ refused: reason });

export function changedPool(data: WayData, id: string, given: z.infer<typeof PoolBody>): Changed<Pool> {
  const known = data.pools.find((pool) => pool.id === id);
  if (known === undefined && isFull(data, 'pools')) return tooMany('pools');
  const row = {
    id,
    order: given.order ?? known?.order ?? 'sources-relays',
    whenBlocked: given.when_blocked ?? known?.whenBlocked ?? 'move',
    overBudget: given.over_budget ?? known?.overBudget ?? 'move',
    origin: 'operator',
  } as const;
  return emptied({ ...data, pools: [...data.pools.filter((pool) => pool.id !== id), row] }) ?? { row };
}

/** @param isOfAMachine a worker has the address */
export function changedSource(
  data: WayData,
  id: string,
  { given, isOfAMachine }: { given: z.infer<typeof SourceBody>; isOfAMachine: boolean },
): Changed<SourceRow> {
  const known = data.sources.find((source) => source.id === id);
  if (known === undefined && isFull(data, 'sources')) return tooMany('sources');
  const address = given.address ?? known?.address;
  const ehlo = given.ehlo ?? known?.ehlo;
  if (address === undefined || ehlo === undefined) return refused('a new source needs address and ehlo');
  const row = {
    ...{ id, address, ehlo, origin: known?.origin ?? ('operator' as const) },
    pool: given.pool ?? known?.pool ?? DEFAULT_POOL,
    warmUp: given.warm_up ?? known?.warmUp ?? false,
  };
  if (known?.origin === 'settings' && (known.address !== address || known.ehlo !== ehlo))
    return refused(`address and name of ${id} are those of POSTMESH_EGRESS_SOURCES: change them there`);
  const twin = data.sources.find((other) => other.id !== id && other.address === address);
  if (twin !== undefined) return refused(`the source ${twin.id} has the address ${address}`);
  if (!isOfAMachine && known?.address !== address)
    return refused(`no machine with a delivery worker has the address ${address}`);
  return (
    noPool(data, row.pool) ??
    emptied({ ...data, sources: [...data.sources.filter((other) => other.id !== id), row] }) ?? { row }
  );
}

export function changedRelay(data: WayData, id: string, given: z.infer<typeof RelayBody>): Changed<RelayRow> {
  const known = data.relays.find((relay) => relay.id === id);
  if (known === undefined && isFull(data, 'relays')) return tooMany('relays');
  const host = given.host ?? known?.host;
  if (host === undefined) return refused('a new relay needs a host');
  const tls = given.tls ?? known?.tls ?? 'required';
  const row = {
    ...{ id, host, tls, origin: known?.origin ?? ('operator' as const) },
    pool: given.pool ?? known?.pool ?? DEFAULT_POOL,
    place: given.place ?? known?.place ?? 0,
    port: given.port ?? known?.port ?? (tls === 'implicit' ? 465 : 587),
    login: loginOf(given, known),
  };
  const isAccess = (field: string) => field !== 'pool' && field !== 'place';
  if (known?.origin === 'settings' && Object.keys(given).some(isAccess))
    return refused(`access to ${id} is that of POSTMESH_EGRESS_RELAY: change it there`);
  if (row.login !== undefined && 'missing' in row.login) return refused('a login needs user and password');
  if (tls === 'opportunistic' && known?.tls !== tls && given.allow_plaintext !== true)
    return refused(`the relay ${id} without TLS is refused unless allow_plaintext is true`);
  if (tls === 'opportunistic' && row.login !== undefined)
    return refused(`the password of ${id} is sent under TLS only: tls must be required or implicit`);
  return (
    noPool(data, row.pool) ??
    emptied({ ...data, relays: [...data.relays.filter((other) => other.id !== id), row as RelayRow] }) ?? {
      row: row as RelayRow,
    }
  );
}

/** @param providers ids of the provider table */
export function changedRule(
  data: WayData,
  id: string,
  { given, providers }: { given: z.infer<typeof RuleBody>; providers: ReadonlySet<string> },
): Changed<PoolRule> {
  const isNew = data.rules.every((rule) => rule.id !== id);
  if (isNew && isFull(data, 'rules')) return tooMany('rules');
  const row = {
    ...{ id, pool: given.pool, place: given.place ?? 0, accountId: given.account_id ?? null },
    sendingDomain: given.sending_domain ?? null,
    provider: given.provider ?? null,
    stream: given.stream ?? null,
    tag: given.tag ?? null,
  };
  const conditions = [row.accountId, row.sendingDomain, row.provider, row.stream, row.tag];
  if (conditions.every((condition) => condition === null)) return refused('a rule needs a condition');
  if (row.provider !== null && !providers.has(row.provider) && !/^[pm]:/.test(row.provider))
    return refused(`the provider ${row.provider} is neither in the provider table nor an MX group`);
  return (
    noPool(data, row.pool) ??
    emptied({ ...data, rules: [...data.rules.filter((rule) => rule.id !== id), row] }) ?? { row }
  );
}

/** @param named ids of sources and relays in the settings of this worker */
export function removedWay(
  data: WayData,
  { kind, id }: { kind: WayKind; id: string },
  named: ReadonlySet<string>,
): { readonly refused: string } | undefined {
  const rows: readonly { id: string }[] = data[kind];
  if (rows.every((row) => row.id !== id)) return refused(`there is no ${id} among the ${kind}`);
  if (kind === 'pools') return removedPool(data, id);
  if (kind !== 'rules' && named.has(id)) return refused(`${id} is in the settings: take it out there`);
  return emptied({ ...data, [kind]: rows.filter((row) => row.id !== id) });
}

function removedPool(data: WayData, id: string): { readonly refused: string } | undefined {
  if (id === DEFAULT_POOL) return refused('the pool default has all mail that no rule gives to another one');
  const users = [...data.sources, ...data.relays, ...data.rules].filter(({ pool }) => pool === id);
  return users.length === 0 ? undefined : refused(`in use by ${users.map((one) => one.id).join(', ')}`);
}

function loginOf(
  { user, password }: z.infer<typeof RelayBody>,
  known: RelayRow | undefined,
): RelayRow['login'] | { missing: true } {
  const wanted = { user: user === undefined ? known?.login?.user : user, password: password ?? undefined };
  if (wanted.user === null || wanted.user === undefined)
    return wanted.password === undefined ? undefined : { missing: true };
  const kept = password === undefined ? known?.login?.password : (password ?? undefined);
  return kept === undefined ? { missing: true } : { user: wanted.user, password: kept };
}

/** Mail that a rule gives to a pool without a way would wait for ever. */
function emptied({ pools, sources, relays, rules }: WayData): { readonly refused: string } | undefined {
  const empty = pools.find((pool) => {
    if (rules.every((rule) => rule.pool !== pool.id)) return false;
    const hasSource = usesSources(pool) && sources.some((source) => source.pool === pool.id);
    return !hasSource && !(usesRelays(pool) && relays.some((relay) => relay.pool === pool.id));
  });
  if (empty === undefined || empty.id === DEFAULT_POOL) return undefined;
  return refused(`rules give mail to the pool ${empty.id}: it needs a source or a relay`);
}

function noPool({ pools }: WayData, id: string): { readonly refused: string } | undefined {
  if (pools.some((pool) => pool.id === id)) return undefined;
  return refused(`there is no pool ${id}; there are ${pools.map((pool) => pool.id).join(', ')}`);
}

const isFull = (data: WayData, kind: WayKind): boolean => data[kind].length >= MOST[kind];
const tooMany = (kind: WayKind) => refused(`there are ${MOST[kind]} ${kind}, the most that a worker reads`);
