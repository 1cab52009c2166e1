import { organisationalDomain, type DnsRecord } from './dns-records.rules.js';

/** A wrong host that may have a record meant for another one. */
export interface MisplacedHost {
  code: 'host_doubled' | 'wrong_host';
  at: string;
}

/**
 * Common wrong hosts of a record: with the domain twice (`rp.example.com.example.com`), below the registrable domain
 * instead of the sending domain, or, with TXT records, without their special label.
 */
export function misplacedHosts(record: Pick<DnsRecord, 'kind' | 'host'>, domain: string): MisplacedHost[] {
  const { kind, host } = record;
  const parent = organisationalDomain(domain);
  const below = host === domain ? '' : host.slice(0, -(domain.length + 1));
  const doubled = [`${host}.${parent}`, `${host}.${domain}`];
  const wrong = [below === '' ? parent : `${below}.${parent}`];
  if (kind === 'dkim' || kind === 'dkim_standby') wrong.push(host.replace('._domainkey.', '.'));
  // the policy of the registrable domain is inherited: it is at a right host there
  if (kind === 'dmarc') wrong.splice(0, 1, domain, `dmarc.${domain}`);
  // the MX of the registrable domain belongs to its own mail
  if (kind === 'mx') wrong.length = 0;
  const named = (code: MisplacedHost['code'], names: readonly string[]) =>
    [...new Set(names)].filter((at) => at !== host).map((at) => ({ code, at }));
  return [...named('host_doubled', doubled), ...named('wrong_host', wrong)];
}
