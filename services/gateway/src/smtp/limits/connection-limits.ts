import { Permits } from '@postmesh/concurrency';
import type { Settings } from '@postmesh/settings';

type LimitSettings = Pick<
  Settings,
  'smtpConnections' | 'smtpConnectionsPerAddress' | 'smtpConnectionsPerCredential'
>;

/** Limits of concurrent SMTP sessions on all ports of this process, per peer and per credential. */
export class ConnectionLimits {
  readonly peers: Permits;
  readonly credentials: Permits;

  constructor(settings: LimitSettings) {
    this.peers = new Permits(settings.smtpConnectionsPerAddress, settings.smtpConnections);
    this.credentials = new Permits(settings.smtpConnectionsPerCredential);
  }
}
