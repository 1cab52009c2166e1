import type { Settings } from '@postmesh/settings';
import type { PublicPorts } from './listeners.js';
import type { LocalInternet } from './local-internet.js';
import type { LocalSecrets } from './local-secrets.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'] as const;

// All of it ends within 10 s after the drain (architecture §5).
const STOP_SECONDS = 10;

/** How a process of all-in-one stops, whatever its supervisor would give it. */
export const stopSettings = ({ drainSeconds }: Pick<Settings, 'drainSeconds'>): Partial<Settings> => ({
  terminationGraceSeconds: drainSeconds + STOP_SECONDS,
});

export interface LocalParts {
  databaseUrl: string;
  secrets: LocalSecrets;
  operatorPort: number;
  ports: PublicPorts;
  /** undefined: local-internet is off */
  internet: Pick<LocalInternet, 'dnsAddress' | 'sinkPort' | 'policyPort' | 'authorityFile'> | undefined;
}

/** What the settings leave open is filled with what all-in-one started itself; what they say stays. */
export function settingsInForce(given: Settings, parts: LocalParts): Settings {
  const { internet } = parts;
  return {
    ...given,
    databaseUrl: parts.databaseUrl,
    secretKeys: parts.secrets.secret_keys,
    operatorToken: parts.secrets.operator_token,
    operatorPort: parts.operatorPort,
    ...parts.ports,
    ...stopSettings(given),
    ...(internet
      ? {
          dnsServers: given.dnsServers.length > 0 ? given.dnsServers : [internet.dnsAddress],
          // 25 and 443 are the defaults of the settings: only a port that somebody chose is kept
          remoteSmtpPort: given.remoteSmtpPort === 25 ? internet.sinkPort : given.remoteSmtpPort,
          mtaStsPort: given.mtaStsPort === 443 ? internet.policyPort : given.mtaStsPort,
          extraCaFile: given.extraCaFile ?? internet.authorityFile,
          // its hosts are on loopback
          allowPrivateMx: true,
          // hosts of sending domains are known to its DNS alone
          linkHosts: 'service',
          outgoingHttpAllow: given.outgoingHttpAllow.length > 0 ? given.outgoingHttpAllow : LOOPBACK,
        }
      : {}),
  };
}
