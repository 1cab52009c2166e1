import ipaddr from 'ipaddr.js';
import { SettingsError, type Settings } from './load.js';
import { isLocalMode } from './local-mode.js';

type Sending = Pick<
  Settings,
  | 'localInternet'
  | 'dnsServers'
  | 'delivery'
  | 'remoteSmtpPort'
  | 'egressRelays'
  | 'egressSources'
  | 'serviceZone'
  | 'sendingAddresses'
>;

// RFC 6761, RFC 6762: no name server on the internet has a name under these.
const NOWHERE = /(?:^|\.)(?:test|example|invalid|localhost|local)$/i;

const SMTP_PORT = 25;

/** Hosts on the internet accept mail only at port 25. */
const reachesRealHosts = (settings: Sending): boolean =>
  settings.delivery &&
  !isLocalMode(settings) &&
  (settings.remoteSmtpPort === SMTP_PORT || settings.egressRelays.length > 0);

/**
 * Rejects settings with which every receiver would reject our mail: bounce addresses, DKIM keys and SPF records in a zone
 * that no resolver finds, or an SPF record without an address that can send mail.
 * @param settings in force
 * @throws SettingsError that names each setting and its valid form
 */
export function requireDeliverable(settings: Sending): void {
  if (!reachesRealHosts(settings)) return;
  const { serviceZone, sendingAddresses, egressSources } = settings;
  const problems: string[] = [];
  if (NOWHERE.test(serviceZone)) {
    problems.push(
      `POSTMESH_SERVICE_ZONE: no resolver finds '${serviceZone}'; set the DNS zone that you run, such as mail.example.com`,
    );
  }
  const addresses = [...sendingAddresses, ...egressSources.map(({ address }) => address)];
  if (!addresses.some(canSend)) {
    problems.push(
      `POSTMESH_SENDING_ADDRESSES: no mail can come from ${addresses.join(', ') || 'no address'}; set the public addresses that messages leave from`,
    );
  }
  if (problems.length === 0) return;
  const hint =
    'POSTMESH_DELIVERY=off starts without sending; docs/operations.md begins with what production needs';
  throw new SettingsError(`mail would be rejected by every receiver:\n  ${[...problems, hint].join('\n  ')}`);
}

// Addresses for documentation stay allowed: examples and tests are made of them.
const NOT_FROM_HERE = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'unspecified']);

/** Whether mail can come from an address or a network in CIDR form. */
function canSend(text: string): boolean {
  const [address = ''] = text.split('/');
  return ipaddr.isValid(address) && !NOT_FROM_HERE.has(ipaddr.process(address).range());
}
