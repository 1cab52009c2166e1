import { send } from './http-request.js';
import type { Account, HttpResponse, Postmesh } from './harness.js';

/** A record in the form of the API. */
export interface ZoneRecord {
  type: string;
  host: string;
  content: string;
}

export interface ListedRecord extends ZoneRecord {
  label: string;
  required: boolean;
  propagated: boolean;
}

/** Publishes records in local-internet, in place of those of the service at this name and below. */
export async function publishZone(
  postmesh: Postmesh,
  name: string,
  zone: { records: readonly ZoneRecord[]; failure?: 'servfail' | 'refused' | 'silent'; secure?: boolean },
): Promise<void> {
  const { status, bytes } = await send({
    method: 'PUT',
    url: zoneUrl(postmesh, name),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...zone,
      records: zone.records.map(({ type, host, content }) => ({ type, host, content })),
    }),
  });
  if (status !== 200) throw new Error(`${status} ${bytes.toString()}`);
}

/** Publishes the records of the service again. */
export async function removeZone(postmesh: Postmesh, name: string): Promise<void> {
  await send({ method: 'DELETE', url: zoneUrl(postmesh, name), headers: {} });
}

const zoneUrl = ({ credentials }: Postmesh, name: string): string =>
  `${credentials.mailbox_url.replace(/\/$/, '').replace('//localhost:', '//127.0.0.1:')}/api/zones/${name}`;

/** check-dns, as if the last check were long ago. */
export async function checkDns(postmesh: Postmesh, account: Account, domain: string): Promise<HttpResponse> {
  await postmesh.sql(
    `update domains.domains set last_dns_check_at = last_dns_check_at - interval '2 minutes'
      where account_id = $1 and domain = $2`,
    [account.id, domain],
  );
  return postmesh.api(account.key, 'POST', `{A}/domains/${domain}/check-dns`);
}

/** The labels of the records that the check found. */
export const propagated = (resource: { dns_records: ListedRecord[] }): string[] =>
  resource.dns_records.filter((record) => record.propagated).map(({ label }) => label);

/** The problems that the last check found in the domain's records: code by kind. */
export async function problemCodes(
  postmesh: Postmesh,
  account: Account,
  domain: string,
): Promise<Record<string, string>> {
  const rows = await postmesh.sql<{ kind: string; code: string }>(
    `select kind, problem->>'code' as code from domains.dns_records r join domains.domains d on d.id = r.domain_id
      where account_id = $1 and domain = $2 and problem is not null`,
    [account.id, domain],
  );
  return Object.fromEntries(rows.map(({ kind, code }) => [kind, code]));
}
