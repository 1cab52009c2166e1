import type { EgressSource, SourceVia } from '../egress/egress-source.rules.js';
import { providerOfGroup } from '../mx/group-key.rules.js';

/** The pool of everything that no rule gives to another one. */
export const DEFAULT_POOL = 'default';

/** Which ways of a pool are used, in their order. */
export const WAY_ORDERS = ['sources', 'sources-relays', 'relays-sources', 'relays'] as const;
export type WayOrder = (typeof WAY_ORDERS)[number];

export interface Pool {
  readonly id: string;
  readonly order: WayOrder;
  /** a source that a provider blocks: its mail takes another way of the pool, or waits for the end of the block */
  readonly whenBlocked: 'move' | 'wait';
  /** beyond the budget of a source in warm-up: the next way of the pool, or the mail waits for the budget */
  readonly overBudget: 'move' | 'wait';
  /** `settings`: its order is that of the settings of each worker, until an operator changes the pool */
  readonly origin: Origin;
}

/** `settings`: used by the workers whose settings name it, and changed there. */
type Origin = 'settings' | 'operator';

export interface SourceRow {
  readonly id: string;
  readonly pool: string;
  readonly address: string;
  readonly ehlo: string;
  /** the proxy that has the address, by the settings of this worker */
  readonly via?: SourceVia | undefined;
  readonly origin: Origin;
  /** its budgets are those of a new address */
  readonly warmUp: boolean;
}

/** `implicit`: TLS from the first byte; `required`: STARTTLS; `opportunistic`: clear text where a relay offers none. */
export const RELAY_TLS = ['implicit', 'required', 'opportunistic'] as const;
type RelayTls = (typeof RELAY_TLS)[number];

export interface RelayRow {
  readonly id: string;
  readonly pool: string;
  /** lower first */
  readonly place: number;
  readonly host: string;
  readonly port: number;
  readonly tls: RelayTls;
  readonly login?: { readonly user: string; readonly password: string } | undefined;
  readonly origin: Origin;
}

/** Gives mail to a pool if each of its conditions holds. */
export interface PoolRule {
  readonly id: string;
  /** the first rule in this order decides */
  readonly place: number;
  readonly pool: string;
  /** of an account or a sub-account */
  readonly accountId: string | null;
  readonly sendingDomain: string | null;
  /** id of a provider, or an MX group */
  readonly provider: string | null;
  readonly stream: 'single' | 'bulk' | null;
  readonly tag: string | null;
}

/** All ways out, as they are stored. */
export interface WayData {
  readonly pools: readonly Pool[];
  readonly sources: readonly SourceRow[];
  readonly relays: readonly RelayRow[];
  readonly rules: readonly PoolRule[];
}

/** The facts of a message by which its pool is chosen. */
export interface PoolFacts {
  readonly accountId: string;
  readonly senderDomain: string;
  readonly groupKey: string;
  readonly isBulk: boolean;
  readonly tags?: readonly string[] | undefined;
}

/** @returns the id of the pool */
export function poolOf(rules: readonly PoolRule[], facts: PoolFacts): string {
  return rules.find((rule) => fits(rule, facts))?.pool ?? DEFAULT_POOL;
}

function fits(rule: PoolRule, { accountId, senderDomain, groupKey, isBulk, tags }: PoolFacts): boolean {
  return (
    (rule.accountId === null || rule.accountId === accountId) &&
    (rule.sendingDomain === null || rule.sendingDomain === senderDomain) &&
    (rule.provider === null || rule.provider === groupKey || rule.provider === providerOfGroup(groupKey)) &&
    (rule.stream === null || (rule.stream === 'bulk') === isBulk) &&
    (rule.tag === null || (tags?.includes(rule.tag) ?? false))
  );
}

/** A pool as one worker uses it. */
export interface PoolInUse extends Pool {
  readonly sources: readonly EgressSource[];
  readonly relays: readonly RelayRow[];
}

/** The ways of a worker: those of operators, and those that its own settings name. */
export function waysOfWorker(
  { pools, sources, relays }: WayData,
  named: ReadonlySet<string>,
  ehloName: string,
): PoolInUse[] {
  const isMine = ({ id, origin }: { id: string; origin: Origin }) => origin === 'operator' || named.has(id);
  return pools.map((pool) => {
    const own = sources.filter((source) => source.pool === pool.id && isMine(source));
    const usable = relays.filter((relay) => relay.pool === pool.id && isMine(relay));
    // without any way the system chooses the address
    const isOpen = pool.id === DEFAULT_POOL && own.length === 0 && pool.order !== 'relays';
    return {
      ...pool,
      sources: isOpen
        ? [{ id: '', ehloName }]
        : own.map(({ id, address, ehlo, via, warmUp }) => ({ id, address, ehloName: ehlo, via, warmUp })),
      relays: usable.toSorted((one, other) => one.place - other.place),
    };
  });
}

export const usesSources = ({ order }: Pick<Pool, 'order'>): boolean => order !== 'relays';
export const usesRelays = ({ order }: Pick<Pool, 'order'>): boolean => order !== 'sources';

/** All mail leaves through relays: no MX group is needed, and no domain is looked up. */
export function areOnlyRelays(pools: readonly Pool[], rules: readonly PoolRule[]): boolean {
  const used = new Set([DEFAULT_POOL, ...rules.map(({ pool }) => pool)]);
  return (
    rules.every(({ provider }) => provider === null) &&
    pools.filter(({ id }) => used.has(id)).every((pool) => !usesSources(pool))
  );
}

/**
 * The relays of a pool share connections and limits, as a source of the group `relay`; those of `default` have the name
 * from before there were pools.
 */
export const relaysKey = (poolId: string): string => (poolId === DEFAULT_POOL ? '' : poolId);

/** The relays of a pool as one way. */
export const relaysWay = (poolId: string): string => `relays:${poolId}`;

const RELAY_PREFIX = 'relay:';

/** The name of a relay among the ways that a delivery keeps; ids of sources have no colon. */
export const relayWay = (relayId: string): string => `${RELAY_PREFIX}${relayId}`;
export const isRelayWay = (way: string): boolean => way.startsWith(RELAY_PREFIX);
