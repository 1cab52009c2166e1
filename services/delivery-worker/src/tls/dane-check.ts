import { isIPv6 } from 'node:net';
import type { HostAndPort } from '@postmesh/settings';
import type { EgressCheck } from '../egress/egress-checks.rules.js';
import { DnsQueries } from './dns-query.js';

const CHECK = 'DANE is used (TLSA records of mail hosts)';
const HOW =
  'run a resolver that validates DNSSEC on this machine, or name one in POSTMESH_VALIDATING_RESOLVERS';

/**
 * Without DANE mail is still delivered: that is no fault. A resolver that the operator has named and that does not
 * validate is one.
 * @param resolvers trusted to validate @param areNamed by the operator
 */
export async function checkDane(resolvers: readonly HostAndPort[], areNamed: boolean): Promise<EgressCheck> {
  if (resolvers.length === 0) return { check: CHECK, ok: true, detail: `no: no resolver is trusted; ${HOW}` };
  const found = await Promise.all(resolvers.map((server) => examine(server)));
  const bad = found.filter(({ trouble }) => trouble !== undefined);
  if (bad.length === 0) {
    return { check: CHECK, ok: true, detail: `yes, by ${found.map(({ name }) => name).join(', ')}` };
  }
  const troubles = bad.map(({ name, trouble }) => `${name} ${trouble}`).join('; ');
  const isOff = bad.length === found.length;
  return { check: CHECK, ok: !areNamed, detail: `${isOff ? 'no' : 'not always'}: ${troubles}; ${HOW}` };
}

/** The root of DNS is signed: a validating resolver sets AD for its name servers. */
async function examine(server: HostAndPort): Promise<{ name: string; trouble: string | undefined }> {
  const name = isIPv6(server.host) ? `[${server.host}]:${server.port}` : `${server.host}:${server.port}`;
  try {
    const { authentic, answers } = await new DnsQueries([server]).ask('.', 'NS');
    if (authentic && answers.length > 0) return { name, trouble: undefined };
    return { name, trouble: 'does not validate DNSSEC' };
  } catch (error) {
    return { name, trouble: `gives no answer (${error instanceof Error ? error.message : String(error)})` };
  }
}
