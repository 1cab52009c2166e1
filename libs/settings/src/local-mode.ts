import type { Settings } from './load.js';

type Internet = Pick<Settings, 'localInternet' | 'dnsServers'>;

/**
 * Whether names are resolved by local-internet, so that no mail leaves this machine: in an all-in-one that runs it, and
 * in a separate service whose name server it is. A service without a name server uses the real DNS, whatever the flag.
 * @param settings in force
 */
export const isLocalMode = ({ localInternet, dnsServers }: Internet): boolean =>
  localInternet && dnsServers.length > 0;

/** Hint for users whose name resolves, or fails, only because of local mode. */
export const LOCAL_MODE = 'local mode: no mail leaves this machine, and only names under .test exist';
