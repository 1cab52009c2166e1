import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ConnectionPool } from '../smtp-client/connection-pool.js';
import { TlsNeeds } from '../tls/tls-needs.js';
import { countOf } from '../tls/tls-sessions.rules.js';
import { TlsSessions } from '../tls/tls-sessions.js';
import { EXTRA_CA } from '../tls/tls-parts.js';

/** The connections of this worker to remote servers. */
@Injectable()
export class OutgoingConnections {
  readonly pool: ConnectionPool;

  constructor(
    @Inject(SETTINGS) { ehloName, serviceZone, deliveryConcurrency }: Settings,
    metrics: Metrics,
    limits: ShapingLimits,
    tls: TlsNeeds,
    sessions: TlsSessions,
    clock: ShapingClock,
    @Inject(EXTRA_CA) extraCa: string | undefined,
  ) {
    this.pool = new ConnectionPool({
      ehloName: ehloName ?? `mta.${serviceZone}`,
      maxConnections: deliveryConcurrency,
      limits,
      // suspensions of hosts and groups become due times
      now: () => clock.now(),
      extraCa,
      onOpened: (proof) => tls.opened(proof),
      onSession: (session) => sessions.add(countOf(session)),
    });
    metrics.gauge('postmesh_smtp_connections', 'Open connections to remote servers', [], (gauge) =>
      gauge.set(this.pool.stats().connections),
    );
  }
}
