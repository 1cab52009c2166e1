import { createHash } from 'node:crypto';
import type { HouseNode } from '../dns/look-up.rules.js';
import { isWithin, type ZoneRecord } from '../dns/records.rules.js';
import { tlsaOf, type Authority } from './house-certificates.js';
import { HOUSES_ZONE, type RunningHouse } from './running-house.js';

/** Without a listener. */
const NOBODYS_ADDRESS = '127.25.0.254';
/** Where MTA-STS policies are served. */
const POLICY_ADDRESS = '127.0.0.1';
const POLICY_MAX_AGE_SECONDS = 86_400;
const NOTHING: HouseNode = { exists: false, records: [], secure: false };

/** DNS records at the names of the houses, from the current script of each. */
export class HouseRecords {
  constructor(
    private readonly houses: ReadonlyMap<string, RunningHouse>,
    private readonly authority: Authority,
  ) {}

  /** @returns undefined for names outside the zone of the houses */
  at(name: string): HouseNode | undefined {
    if (!isWithin(name, HOUSES_ZONE)) return undefined;
    if (name === HOUSES_ZONE) return { ...NOTHING, exists: true };
    const labels = name.slice(0, -HOUSES_ZONE.length - 1).split('.');
    const house = this.houses.get(labels.pop() ?? '');
    if (house === undefined) return NOTHING;
    const { secure } = house.script.dns;
    const records = this.recordsBelow(house, labels);
    if (records === 'failing') return { exists: true, records: [], secure, failure: 'servfail' };
    return { exists: true, records, secure };
  }

  /** @param labels between the name and the house's domain: none, `mx`, `_25._tcp.mx`, `shop`, … */
  private recordsBelow(house: RunningHouse, labels: readonly string[]): readonly ZoneRecord[] | 'failing' {
    const { mx, sts } = house.script.dns;
    const [first, second] = labels;
    if (isPort(first) && second === '_tcp') return this.tlsa(house);
    if (sts !== undefined && first === 'mta-sts') return address(POLICY_ADDRESS);
    if (sts !== undefined && first === '_mta-sts') return [policyRecord(house)];
    if (first?.startsWith('_')) return [];
    if (first === 'nobody' && mx === 'backup' && labels.length === 1) return address(NOBODYS_ADDRESS);
    if (first === 'mx' && (mx === 'each' || labels.length === 1)) return address(house.address);
    return mxRecords(house, labels);
  }

  private tlsa(house: RunningHouse): ZoneRecord[] | 'failing' {
    const { tlsa } = house.script.dns;
    if (tlsa === 'failing') return 'failing';
    return tlsa === undefined ? [] : [{ type: 'TLSA', data: tlsaOf(tlsa, house.tls, this.authority) }];
  }
}

const isPort = (label: string | undefined): boolean => /^_\d{1,5}$/.test(label ?? '');

const address = (data: string): ZoneRecord[] => [{ type: 'A', data }];

function mxRecords(house: RunningHouse, labels: readonly string[]): ZoneRecord[] {
  const { mx, hostOf } = house.script.dns;
  if (mx === 'null') return [mxRecord(0, '.')];
  if (hostOf !== undefined) return [mxRecord(10, `mx.${hostOf}.${HOUSES_ZONE}`)];
  if (mx === 'each') return [mxRecord(10, ['mx', ...labels, house.domain].join('.'))];
  if (mx === 'backup') return [mxRecord(10, `nobody.${house.domain}`), mxRecord(20, house.host)];
  return [mxRecord(10, house.host)];
}

const mxRecord = (preference: number, exchange: string): ZoneRecord => ({
  type: 'MX',
  data: { preference, exchange },
});

/** The id changes with the policy (RFC 8461 §3.1). */
function policyRecord(house: RunningHouse): ZoneRecord {
  const id = createHash('sha256')
    .update(policyOf(house) ?? 'gone')
    .digest('hex')
    .slice(0, 20);
  return { type: 'TXT', data: [Buffer.from(`v=STSv1; id=${id};`)] };
}

/** The policy of a house's domains (RFC 8461 §3.2); undefined when it has none. */
export function policyOf({ host, script: { dns } }: RunningHouse): string | undefined {
  if (dns.sts === undefined || dns.sts === 'gone') return undefined;
  const own = dns.hostOf === undefined ? host : `mx.${dns.hostOf}.${HOUSES_ZONE}`;
  const [mode, mx] =
    dns.sts === 'other-host' ? ['enforce', `mx.another-house.${HOUSES_ZONE}`] : [dns.sts, own];
  return `version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: ${POLICY_MAX_AGE_SECONDS}\r\n`;
}
