import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { RELAY_GROUP } from '../mx/group-key.rules.js';
import type { Route, RouteHost } from '../smtp-client/route.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { Ways } from '../ways/ways.js';
import { relaysKey, type PoolInUse, type RelayRow } from '../ways/ways.rules.js';

/** Where a message may go, or why nowhere. */
export type Routed = { readonly kind: 'route'; readonly route: Route } | SmtpOutcome;

// The system's resolver has no cache: this one saves a look-up of the relays per message.
const REMEMBER_MS = 30_000;

/** The relays of each pool, in their order. */
@Injectable()
export class Relays {
  private readonly found = new Map<string, { route: Promise<Routed>; until: number }>();

  constructor(private readonly ways: Ways) {
    ways.onChanged(() => this.found.clear());
  }

  /** All mail leaves through relays. */
  get areUsed(): boolean {
    return this.ways.areOnlyRelays;
  }

  async route(pool: Pick<PoolInUse, 'id' | 'relays'>): Promise<Routed> {
    const known = this.found.get(pool.id);
    if (known !== undefined && known.until > performance.now()) return known.route;
    const found = { route: routeOf(pool, this.ways.ehloName), until: performance.now() + REMEMBER_MS };
    this.found.set(pool.id, found);
    const routed = await found.route;
    if (routed.kind !== 'route') found.until = 0;
    return routed;
  }
}

async function routeOf({ id, relays }: Pick<PoolInUse, 'id' | 'relays'>, ehloName: string): Promise<Routed> {
  const looked = await Promise.all(relays.map((relay, nth) => findHost(relay, nth)));
  const hosts = looked.filter((host) => host !== undefined);
  if (hosts.length > 0) {
    const port = hosts[0]?.relay?.port ?? 25;
    const source = { id: relaysKey(id), ehloName };
    return { kind: 'route', route: { hosts, port, groupKey: RELAY_GROUP, source, viaRelay: true } };
  }
  const names = relays.map(({ host }) => host).join(', ');
  const response = `no relay can be found: ${names}`;
  return { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4', response };
}

/** @returns undefined when DNS has no address for it now */
async function findHost(relay: RelayRow, place: number): Promise<RouteHost | undefined> {
  const { id, host: name, port, tls, login } = relay;
  try {
    const addresses = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
    const access = { id, port, tls: tls === 'implicit' ? ('implicit' as const) : ('opportunistic' as const) };
    return {
      name,
      preference: place,
      addresses,
      // Without a password the connection exposes only the mail, which any server on the way may read.
      ...(login || tls === 'required' ? { need: 'pkix' as const } : {}),
      relay: login ? { ...access, auth: login } : access,
    };
  } catch {
    return undefined;
  }
}
