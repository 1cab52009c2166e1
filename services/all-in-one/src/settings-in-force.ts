import type { Settings } from '@postmesh/settings';
import type { PublicPorts } from './listeners.js';
import type { LocalSecrets } from './local-secrets.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'] as const;

/** All of it ends within 10 s (architecture §5); nobody balances load over it. */
const STOP = { drainSeconds: 0, terminationGraceSeconds: 10 } as const;

export interface LocalParts {
  databaseUrl: string;
  secrets: LocalSecrets;
  operatorPort: number;
  ports: PublicPorts;
  /** undefined: local-internet is off */
  internet: { dns: string; sinkPort: number; policyPort: number; authorityFile: string } | undefined;
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
    ...STOP,
    ...(internet
      ? {
          dnsServers: given.dnsServers.length > 0 ? given.dnsServers : [internet.dns],
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
