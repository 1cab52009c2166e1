import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { EgressAddressesChanged } from '@postmesh/delivery-worker-contract';
import { Outbox } from '@postmesh/events';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import type { Settings } from '@postmesh/settings';
import {
  DEFAULT_POOL,
  type Pool,
  type PoolRule,
  type RelayRow,
  type SourceRow,
  type WayData,
  type WayOrder,
} from './ways.rules.js';

export const WAYS_CHANNEL = 'delivery_worker_ways';
// A machine whose worker is silent for longer has no say about addresses.
const SEEN_S = 180;

const belongsTo = (relayId = '') => `egress-relay/${relayId}`;

/** A rotation of the secret keys encrypts the passwords of relays again. */
export const SEALED_RELAY_PASSWORDS: SealedColumn = {
  kind: 'egress-relays',
  table: 'egress_relays',
  primaryKey: { id: 'text' },
  column: 'password',
  about: belongsTo,
};

type StoredRelay = Omit<RelayRow, 'login'> & { username: string | null; password: string | null };

/** Whether the PTR record of an address names the greeting of its source, what it was, and whether SPF has the address. */
export interface PtrSeen {
  readonly ok: boolean;
  readonly detail: string;
  /** the SPF record of the zone names the address; missing in rows of the release before */
  readonly isInSpf?: boolean;
  readonly at: string;
}

/** The rows of pools, sources, relays and rules; each change is notified to all workers. */
@Injectable()
export class WaysRows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
    private readonly outbox: Outbox,
  ) {}

  async load(): Promise<WayData> {
    const [pools, sources, relays, rules] = await Promise.all([
      this.dataSource.query(POOLS) as Promise<Pool[]>,
      this.dataSource.query(SOURCES) as Promise<SourceRow[]>,
      this.dataSource.query(RELAYS) as Promise<StoredRelay[]>,
      this.dataSource.query(RULES) as Promise<PoolRule[]>,
    ]);
    return { pools, sources, relays: relays.map((relay) => this.opened(relay)), rules };
  }

  /** One change, with the data as it is while no other change is made. */
  change(make: (tx: EntityManager, data: WayData) => Promise<void>): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query('lock table egress_pools in share row exclusive mode');
      const before = await this.load();
      await make(tx, before);
      await tx.query(NOTIFY);
      const [was, is] = [ofOperators(before.sources), ofOperators(await tx.query(SOURCES))];
      if (JSON.stringify(was) !== JSON.stringify(is)) await this.publish(tx, is);
    });
  }

  /** For services that have never had the event, or have lost it. */
  async publishAddresses(): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('lock table egress_pools in share row exclusive mode');
      const sources = ofOperators(await tx.query(SOURCES));
      if (sources.length > 0) await this.publish(tx, sources);
    });
  }

  async putPool(tx: EntityManager, { id, order, whenBlocked, overBudget, origin }: Pool): Promise<void> {
    await tx.query(PUT_POOL, [id, order, whenBlocked, overBudget, origin]);
  }

  async putSource(tx: EntityManager, given: SourceRow): Promise<void> {
    const { id, pool, address, ehlo, origin, warmUp } = given;
    await tx.query(PUT_SOURCE, [id, pool, address, ehlo, origin, warmUp]);
  }

  async putRelay(tx: EntityManager, given: RelayRow): Promise<void> {
    const { id, pool, place, host, port, tls, login, origin } = given;
    const password = login === undefined ? null : this.box.seal(login.password, belongsTo(id));
    await tx.query(PUT_RELAY, [id, pool, place, host, port, tls, login?.user ?? null, password, origin]);
  }

  async putRule(tx: EntityManager, given: PoolRule): Promise<void> {
    const { id, place, pool, accountId, sendingDomain, provider, stream, tag } = given;
    await tx.query(PUT_RULE, [id, place, pool, accountId, sendingDomain, provider, stream, tag]);
  }

  async remove(tx: EntityManager, kind: 'pools' | 'sources' | 'relays' | 'rules', id: string): Promise<void> {
    await tx.query(`delete from egress_${kind} where id = $1`, [id]);
  }

  /**
   * The settings of a worker as rows: new ones go into the pool `default`, known ones keep their pool. Passwords stay in
   * the settings.
   */
  async importSettings({ egressSources, egressRelays }: Settings): Promise<void> {
    const [{ changed }]: [{ changed: boolean }] = await this.dataSource.query(IMPORT, [
      orderOf({ egressRelays }),
      egressSources.map(({ id }) => id),
      egressSources.map(({ address }) => address),
      egressSources.map(({ ehlo }) => ehlo),
      egressRelays.map((_, place) => settingsRelayId(place)),
      egressRelays.map(({ host }) => host),
      egressRelays.map(({ port }) => port),
      egressRelays.map(({ implicitTls, login }) => tlsOf(implicitTls, login !== undefined)),
      egressRelays.map(({ login }) => login?.user ?? null),
    ]);
    if (changed) await this.dataSource.query(NOTIFY);
  }

  /** The names of PTR records as they were last seen, by source. */
  async ptrs(): Promise<ReadonlyMap<string, PtrSeen>> {
    const rows: { id: string; ptr: PtrSeen }[] = await this.dataSource.query(PTRS);
    return new Map(rows.map(({ id, ptr }) => [id, ptr]));
  }

  async sawPtr(id: string, seen: PtrSeen): Promise<void> {
    await this.dataSource.query('update egress_sources set ptr = $2 where id = $1', [
      id,
      JSON.stringify(seen),
    ]);
  }

  /** The addresses of sources of operators, in pools that send from sources. */
  async addresses(): Promise<string[]> {
    const rows: { address: string }[] = await this.dataSource.query(ADDRESSES);
    return rows.map(({ address }) => address);
  }

  /** The addresses of this machine, for the check of a new source by any worker. */
  async seen(worker: string, addresses: readonly string[]): Promise<void> {
    await this.dataSource.query(SEEN, [worker, addresses]);
  }

  async isOfAMachine(address: string): Promise<boolean> {
    const found: unknown[] = await this.dataSource.query(IS_OF_A_MACHINE, [address]);
    return found.length > 0;
  }

  private async publish(tx: EntityManager, sources: PublishedSource[]): Promise<void> {
    await this.outbox.add(tx, [EgressAddressesChanged.make({ sources }, { account_id: null })]);
  }

  private opened({ username, password, ...relay }: StoredRelay): RelayRow {
    if (username === null || password === null) return relay;
    return { ...relay, login: { user: username, password: this.box.open(password, belongsTo(relay.id)) } };
  }
}

type PublishedSource = ReturnType<typeof EgressAddressesChanged.make>['data']['sources'][number];

/** Those of settings are in the settings of every service. */
const ofOperators = (sources: readonly SourceRow[]): PublishedSource[] =>
  sources.filter(({ origin }) => origin === 'operator').map(({ address, ehlo }) => ({ address, ehlo }));

export const settingsRelayId = (place: number): string => `settings-${place + 1}`;

/** As before there were pools: with relays, sources are not used. */
export const orderOf = ({ egressRelays }: Pick<Settings, 'egressRelays'>): WayOrder =>
  egressRelays.length > 0 ? 'relays' : 'sources-relays';

export const tlsOf = (implicit: boolean, hasLogin: boolean) =>
  implicit ? ('implicit' as const) : hasLogin ? ('required' as const) : ('opportunistic' as const);

/** The rows that the import of settings makes, as they are read afterwards. */
export function rowsOfSettings({ egressSources, egressRelays }: Settings): WayData {
  const about = { pool: DEFAULT_POOL, origin: 'settings' } as const;
  return {
    pools: [
      {
        ...{ id: DEFAULT_POOL, order: orderOf({ egressRelays }), origin: 'settings' },
        ...{ whenBlocked: 'wait', overBudget: 'move' },
      },
    ],
    sources: egressSources.map(({ id, address, ehlo }) => ({ ...about, id, address, ehlo, warmUp: false })),
    relays: egressRelays.map(({ host, port, implicitTls, login }, place) => ({
      ...{ ...about, id: settingsRelayId(place), place, host, port, login },
      tls: tlsOf(implicitTls, login !== undefined),
    })),
    rules: [],
  };
}

const NOTIFY = `select pg_notify('${WAYS_CHANNEL}', '')`;

const POOLS = `select id, way_order as "order", when_blocked as "whenBlocked", over_budget as "overBudget", origin
  from egress_pools order by id`;
const SOURCES = `select id, pool, address, ehlo, origin, warm_up as "warmUp" from egress_sources order by id`;
const RELAYS = `select id, pool, place, host, port, tls, username, password, origin from egress_relays
  order by place, id`;
const RULES = `select id, place, pool, account_id as "accountId", sending_domain as "sendingDomain", provider, stream,
  tag from egress_rules order by place, id`;

const ADDRESSES = `select s.address from egress_sources s join egress_pools p on p.id = s.pool
  where s.origin = 'operator' and p.way_order <> 'relays' order by s.id`;

const PTRS = 'select id, ptr from egress_sources where ptr is not null';

const PUT_POOL = `insert into egress_pools (id, way_order, when_blocked, over_budget, origin) values ($1, $2, $3, $4, $5)
  on conflict (id) do update set way_order = excluded.way_order, when_blocked = excluded.when_blocked,
    over_budget = excluded.over_budget, origin = excluded.origin`;
const PUT_SOURCE = `insert into egress_sources (id, pool, address, ehlo, origin, warm_up)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (id) do update set pool = excluded.pool, address = excluded.address, ehlo = excluded.ehlo,
    origin = excluded.origin, warm_up = excluded.warm_up`;
const PUT_RELAY = `insert into egress_relays (id, pool, place, host, port, tls, username, password, origin)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (id) do update set pool = excluded.pool, place = excluded.place, host = excluded.host,
    port = excluded.port, tls = excluded.tls, username = excluded.username, password = excluded.password,
    origin = excluded.origin`;
const PUT_RULE = `insert into egress_rules (id, place, pool, account_id, sending_domain, provider, stream, tag)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (id) do update set place = excluded.place, pool = excluded.pool, account_id = excluded.account_id,
    sending_domain = excluded.sending_domain, provider = excluded.provider, stream = excluded.stream,
    tag = excluded.tag`;

// Mail of an address that a provider blocks waits by default, as before there were pools. An operator's row with the
// same id or address stays as it is.
const IMPORT = `
  with pool as (
    insert into egress_pools (id, way_order, when_blocked, over_budget, origin)
    values ('${DEFAULT_POOL}', $1, 'wait', 'move', 'settings')
    on conflict (id) do nothing returning id),
  sources as (
    insert into egress_sources as s (id, pool, address, ehlo, origin)
    select id, '${DEFAULT_POOL}', address, ehlo, 'settings'
    from unnest($2::text[], $3::text[], $4::text[]) as given(id, address, ehlo)
    where not exists (select from egress_sources other where other.address = given.address and other.id <> given.id)
    on conflict (id) do update set address = excluded.address, ehlo = excluded.ehlo
      where s.origin = 'settings' and (s.address, s.ehlo) is distinct from (excluded.address, excluded.ehlo)
    returning id),
  relays as (
    insert into egress_relays as r (id, pool, place, host, port, tls, username, origin)
    select id, '${DEFAULT_POOL}', place - 1, host, port, tls, username, 'settings'
    from unnest($5::text[], $6::text[], $7::int[], $8::text[], $9::text[]) with ordinality
      as given(id, host, port, tls, username, place)
    on conflict (id) do update set host = excluded.host, port = excluded.port, tls = excluded.tls,
      username = excluded.username
      where r.origin = 'settings' and (r.host, r.port, r.tls, r.username)
        is distinct from (excluded.host, excluded.port, excluded.tls, excluded.username)
    returning id)
  select exists (select from pool) or exists (select from sources) or exists (select from relays) as changed`;

const SEEN = `
  with gone as (delete from egress_machines where seen_at < now() - interval '1 hour')
  insert into egress_machines (worker, addresses, seen_at) values ($1, $2, now())
  on conflict (worker) do update set addresses = excluded.addresses, seen_at = excluded.seen_at`;

const IS_OF_A_MACHINE = `select from egress_machines
  where $1 = any(addresses) and seen_at > now() - interval '${SEEN_S} seconds' limit 1`;
