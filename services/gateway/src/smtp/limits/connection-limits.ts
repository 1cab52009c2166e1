import { Permits } from '@postmesh/concurrency';
import type { Settings } from '@postmesh/settings';

type LimitSettings = Pick<
  Settings,
  'smtpConnections' | 'smtpConnectionsPerAddress' | 'smtpConnectionsPerCredential'
>;

/** How many SMTP sessions there may be at once: of all ports of this process, so that no peer and no customer has all. */
export class ConnectionLimits {
  readonly peers: Permits;
  readonly credentials: Permits;

  constructor(settings: LimitSettings) {
    this.peers = new Permits(settings.smtpConnectionsPerAddress, settings.smtpConnections);
    this.credentials = new Permits(settings.smtpConnectionsPerCredential);
  }
}
