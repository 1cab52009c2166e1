import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { FactoryProvider } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { EgressRelay, Settings } from '@postmesh/settings';
import { RELAY_GROUP } from '../mx/group-key.rules.js';
import type { Route, RouteHost } from '../smtp-client/route.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';

/** Where a message may go, or why nowhere. */
export type Routed = { readonly kind: 'route'; readonly route: Route } | SmtpOutcome;

// The system's resolver has no cache: this one saves a look-up of the relays per message.
const REMEMBER_MS = 30_000;

/** The relays through which all mail leaves, in their order, if there are any. */
export class Relays {
  private found: { route: Promise<Routed>; until: number } | undefined;

  constructor(private readonly relays: readonly EgressRelay[]) {}

  get areUsed(): boolean {
    return this.relays.length > 0;
  }

  async route(): Promise<Routed> {
    if (this.found && this.found.until > performance.now()) return this.found.route;
    const found = { route: this.find(), until: performance.now() + REMEMBER_MS };
    this.found = found;
    const routed = await found.route;
    if (routed.kind !== 'route') found.until = 0;
    return routed;
  }

  private async find(): Promise<Routed> {
    const looked = await Promise.all(this.relays.map((relay, place) => findHost(relay, place)));
    const hosts = looked.filter((host) => host !== undefined);
    if (hosts.length > 0) {
      return {
        kind: 'route',
        route: { hosts, port: hosts[0]?.relay?.port ?? 25, groupKey: RELAY_GROUP, viaRelay: true },
      };
    }
    const names = this.relays.map(({ host }) => host).join(', ');
    const response = `no relay can be found: ${names}`;
    return { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4', response };
  }
}

/** @returns undefined when DNS has no address for it now */
async function findHost(relay: EgressRelay, place: number): Promise<RouteHost | undefined> {
  const { host: name, port, implicitTls, login } = relay;
  try {
    const addresses = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
    const access = { port, tls: implicitTls ? ('implicit' as const) : ('opportunistic' as const) };
    return {
      name,
      preference: place,
      addresses,
      // Without a password the connection exposes only the mail, which any server on the way may read.
      ...(login ? { need: 'pkix' as const } : {}),
      relay: login ? { ...access, auth: login } : access,
    };
  } catch {
    return undefined;
  }
}

export const RELAYS: FactoryProvider<Relays> = {
  provide: Relays,
  inject: [SETTINGS],
  useFactory: ({ egressRelays }: Settings) => new Relays(egressRelays),
};
