import type { Settings } from '@postmesh/settings';
import type { PublicPorts } from './listeners.js';
import type { LocalInternet } from './local-internet.js';
import type { LocalSecrets } from './local-secrets.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'] as const;

// All parts stop within 10 s after the drain (architecture §5).
const STOP_SECONDS = 10;

/** The grace period of all-in-one, for any period of its supervisor. */
export const stopSettings = ({ drainSeconds }: Pick<Settings, 'drainSeconds'>): Partial<Settings> => ({
  terminationGraceSeconds: drainSeconds + STOP_SECONDS,
});

/** In local mode webhooks and providers are on this machine. */
export const outgoingHttpOf = ({
  localInternet,
  outgoingHttpAllow,
}: Pick<Settings, 'localInternet' | 'outgoingHttpAllow'>): Settings['outgoingHttpAllow'] =>
  localInternet && outgoingHttpAllow.length === 0 ? LOOPBACK : outgoingHttpAllow;

export interface LocalParts {
  databaseUrl: string;
  secrets: LocalSecrets;
  operatorPort: number;
  ports: PublicPorts;
  /** undefined: local-internet is off */
  internet: Pick<LocalInternet, 'dnsAddress' | 'sinkPort' | 'policyPort' | 'authorityFile'> | undefined;
}

/** Fills settings that are not given with the values of the parts that all-in-one started; given settings win. */
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
          // 25 and 443 are the defaults of the settings: only a given port is kept
          remoteSmtpPort: given.remoteSmtpPort === 25 ? internet.sinkPort : given.remoteSmtpPort,
          mtaStsPort: given.mtaStsPort === 443 ? internet.policyPort : given.mtaStsPort,
          extraCaFile: given.extraCaFile ?? internet.authorityFile,
          // its hosts are on loopback
          allowPrivateMx: true,
          // only its DNS knows the hosts of sending domains
          linkHosts: 'service',
          outgoingHttpAllow: outgoingHttpOf(given),
        }
      : {}),
  };
}
