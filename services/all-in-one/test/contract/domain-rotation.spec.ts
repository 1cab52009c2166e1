import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, uniqueDomain, type Account } from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

interface DnsRecord {
  label: string;
  type: string;
  host: string;
  content: string;
  required: boolean;
  propagated: boolean;
}

const read = async (domain: string) => (await postmesh.api(account.key, 'GET', `{A}/domains/${domain}`)).body;
const recordOf = (resource: { dns_records: DnsRecord[] }, label: string): DnsRecord =>
  resource.dns_records.find((record) => record.label === label)!;

/** check-dns, as if the last one were long ago */
async function check(domain: string) {
  await postmesh.sql(
    `update domains.domains set last_dns_check_at = last_dns_check_at - interval '5 minutes' where domain = $1`,
    [domain],
  );
  return (await postmesh.api(account.key, 'POST', `{A}/domains/${domain}/check-dns`)).body;
}

/** The record that our own zone has at a name. */
async function published(name: string): Promise<string | undefined> {
  const { body } = await postmesh.operator('GET', '/operator/domains/zone');
  return body.serviceRecords.find((record: DnsRecord) => record.host === name)?.content;
}

/** Publishes these records at and below a name, in place of those of the service. */
async function publishByHand(name: string, records: object[] | undefined): Promise<void> {
  const url = `${postmesh.credentials.mailbox_url.replace(/\/$/, '')}/api/zones/${name}`;
  const init = records
    ? { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ records }) }
    : { method: 'DELETE' };
  expect((await fetch(url, init)).ok).toBe(true);
}

/** Selector and verdict of a message that is sent now. */
async function signedWith(domain: string): Promise<string> {
  const to = `${unique('r')}@mail.test`;
  const body = {
    from: { email: `news@${domain}` },
    to: [{ email: to }],
    subject: 'Hello',
    text_content: 'Hello',
  };
  const sent = await postmesh.api(account.key, 'POST', '{A}/messages/conversation', { body });
  expect(sent.status).toBe(202);
  await eventually(() => postmesh.messagesTo(to)).toHaveLength(1);
  const [message] = (await postmesh.messagesTo(to)) as unknown as { id: string; auth: { dkim: string } }[];
  const text = (await postmesh.messageText(message!.id)).replaceAll(/\r\n[ \t]+/g, ' ');
  return `${/DKIM-Signature:.*?\bs=([\w-]+)/.exec(text)?.[1]} ${message!.auth.dkim}`;
}

/** Makes the keys of a domain older by this number of days, and has due ones rotated. */
async function age(domain: string, days: number): Promise<void> {
  await postmesh.sql(
    `with d as (
       update domains.domains set rotation_next_at = now() - interval '1 second',
              rotation_verified_at = rotation_verified_at - make_interval(days => $2),
              rotation_switched_at = rotation_switched_at - make_interval(days => $2)
        where domain = $1 returning id)
     update domains.dkim_keys k set activated_at = k.activated_at - make_interval(days => $2)
       from d where k.domain_id = d.id`,
    [domain, days],
  );
  await postmesh.periodic('domains', 'rotate-dkim-keys');
}
const rotation = async (domain: string) => {
  const [row] = await postmesh.sql<Record<string, unknown>>(
    `select rotation_started_at, rotation_verified_at, rotation_switched_at, rotation_reason,
            rotation_next_at > now() + interval '23 hours' as a_day_later from domains.domains where domain = $1`,
    [domain],
  );
  return row!;
};

describe('§11.7 DKIM rotation', () => {
  it('§11.7 rule 2 rotation_ready says that the standby record was seen, and turns false when it disappears', async () => {
    const made = await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: uniqueDomain() } });
    const { domain } = made.body;
    expect(made.body.rotation_ready).toBe(false);
    expect((await check(domain)).rotation_ready).toBe(true);
    const { host } = recordOf(made.body, 'DKIM standby');
    await publishByHand(host, []);
    expect(await check(domain)).toMatchObject({ rotation_ready: false, dns_valid: true });
    await publishByHand(host, undefined);
    expect((await check(domain)).rotation_ready).toBe(true);
  });

  it('§11.7 rule 3 a domain that is not ready keeps its key, and is checked again a day later', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const { host } = recordOf(await read(domain), 'DKIM standby');
    await publishByHand(host, []);
    await check(domain);
    await age(domain, 91);
    await eventually(() => rotation(domain)).toMatchObject({
      rotation_started_at: null,
      rotation_reason: 'the DKIM standby record of the domain is not seen in DNS',
      a_day_later: true,
    });
    expect(await signedWith(domain)).toBe('managed pass');
    await publishByHand(host, undefined);
  });

  describe('§11.7 rule 4, §11.7 rule 5: the domain stays valid', () => {
    let domain: string;
    let [first, second]: DnsRecord[] = [];
    let [old, next]: (string | undefined)[] = [];

    it('§11.7 rule 4 publish, a day, sign with it', async () => {
      domain = await postmesh.verifiedDomain(account);
      const before = await read(domain);
      [first, second] = [recordOf(before, 'DKIM'), recordOf(before, 'DKIM standby')];
      [old, next] = [await published(first.content), await published(second.content)];
      expect(await signedWith(domain)).toBe('managed pass');

      await age(domain, 90);
      await eventually(() => rotation(domain)).toMatchObject({
        rotation_verified_at: expect.any(Date),
      });
      expect(await read(domain)).toMatchObject({ dns_valid: true, dns_records: before.dns_records });
      const selector = await postmesh.api(account.key, 'PUT', `{A}/domains/${domain}`, {
        body: { dkim_selector: 'other' },
      });
      expect(selector.status).toBe(400);

      await age(domain, 1);
      await eventually(() => rotation(domain)).toMatchObject({
        rotation_switched_at: expect.any(Date),
      });
      const after = await read(domain);
      expect(after).toMatchObject({ dns_valid: true, rotation_ready: true });
      expect(recordOf(after, 'DKIM')).toEqual({ ...second, label: 'DKIM', required: true });
      expect(recordOf(after, 'DKIM standby')).toEqual({ ...first, label: 'DKIM standby', required: false });
      await eventually(() => signedWith(domain)).toBe('managed2 pass');
      expect([await published(first.content), await published(second.content)]).toEqual([old, next]);
      expect(await check(domain)).toMatchObject({ dns_valid: true, rotation_ready: true });
    });

    it('§11.7 rule 4 seven days, a fresh one', async () => {
      await age(domain, 7);
      await eventually(() => published(first!.content)).not.toBe(old);
      expect(await published(first!.content)).toMatch(/^v=DKIM1; k=rsa; p=[\w+/=]{200,}$/);
      expect(await published(second!.content)).toBe(next);
      expect(await signedWith(domain)).toBe('managed2 pass');
    });
  });
});
