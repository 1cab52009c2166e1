import { beforeAll, describe, expect, it } from 'vitest';
import { CampaignClient } from '../campaign-client.js';
import { eventually, sharedInstallation, unique } from './harness.js';
import { ok, Sender } from './sender.js';

const postmesh = sharedInstallation();
let sender: Sender;
let campaigns: CampaignClient;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
  campaigns = clientOf(sender);
});

const clientOf = (of: Sender) =>
  new CampaignClient(
    async (method, path, wanted, body) => ok(await of.api(method, path, body), wanted),
    `news@${of.domain}`,
  );
const addresses = (count: number) => Array.from({ length: count }, () => `${unique('reader')}@mail.test`);
const becomes = (id: string, status: string, of = campaigns) =>
  eventually(async () => (await of.read(id)).status, 40_000).toBe(status);
const arrived = async (to: string): Promise<{ raw: string }[]> => {
  const { body } = await postmesh.mailbox(`/api/messages?to=${encodeURIComponent(to)}`);
  return body.messages;
};
const dailyLimit = async (of: Sender, daily_limit: number | null) =>
  ok(
    await postmesh.operator('PUT', `/operator/marketing/accounts/${of.account.id}/marketing`, {
      daily_limit,
      review_every_campaign: false,
    }),
    200,
  );
const resume = async (id: string) =>
  ok(await postmesh.operator('POST', `/operator/marketing/campaigns/${id}/resume`), 200);
const change = async (of: Sender, email: string, fields: object) =>
  ok(await of.api('PUT', `{A}/contacts/${encodeURIComponent(email)}`, fields), 200);

describe('spec 3-marketing §7.1 the recipients of a campaign', () => {
  it('spec 3-marketing §7.1 rule 1, rule 2, rule 3, rule 4: are those of the start, each once, in the order of lists and memberships', async () => {
    const [both, first, second, away, off] = addresses(5) as [string, string, string, string, string];
    const one = await campaigns.list([first, away, off]);
    const other = await campaigns.list([second, both]);
    const shared = encodeURIComponent(both);
    ok(await sender.api('PUT', `{A}/lists/${one}/contacts/${shared}`, {}), 200);
    const elsewhere = encodeURIComponent(away);
    ok(
      await sender.api('PUT', `{A}/lists/${one}/contacts/${elsewhere}`, {
        subscription_status: 'unsubscribed',
      }),
      200,
    );
    await change(sender, off, { status: 'disabled' });
    const id = await campaigns.campaign([one, other]);
    expect(await campaigns.recipients(id)).toEqual([]);
    await campaigns.send(id);
    await becomes(id, 'sent');
    expect(await campaigns.recipients(id)).toMatchObject([
      { email: first, list_ids: [one] },
      { email: both, list_ids: [one, other] },
      { email: second, list_ids: [other] },
    ]);
    // a contact that joins later is not in it
    ok(await sender.api('PUT', `{A}/contacts/${encodeURIComponent(off)}`, { status: 'enabled' }), 200);
    expect(await campaigns.recipients(id)).toHaveLength(3);
    for (const to of [both, first, second]) await eventually(() => arrived(to)).toHaveLength(1);
    await eventually(() => campaigns.stats(id)).toMatchObject({ recipients: 3, delivered: 3, pending: 0 });
  });
});

describe('spec 3-marketing §7.2 just before handing over', () => {
  it('spec 3-marketing §7.2 rule 1, rule 2, §7.3: leaves out recipients who may no longer get it, and sends to none twice', async () => {
    const limited = await Sender.make(postmesh);
    const own = clientOf(limited);
    const all = addresses(5);
    const [first, disabled, unsubscribed, gone, suppressed] = all as [string, string, string, string, string];
    const list = await own.list(all);
    ok(
      await limited.api('POST', '{A}/suppressions', {
        email: suppressed,
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      }),
      201,
    );
    await dailyLimit(limited, 1);
    const id = await own.campaign([list]);
    await own.send(id);
    await becomes(id, 'paused', own);
    expect(await own.read(id)).toMatchObject({ status_reason: 'daily marketing limit reached' });
    expect(await own.stats(id)).toMatchObject({ pending: 4 });
    await change(limited, disabled, { status: 'disabled', unsubscribed: true });
    await change(limited, unsubscribed, { unsubscribed: true });
    ok(await limited.api('DELETE', `{A}/lists/${list}/contacts/${encodeURIComponent(gone)}`), 200);
    await dailyLimit(limited, null);
    await resume(id);
    await becomes(id, 'sent', own);
    expect(await own.recipients(id)).toMatchObject([
      { email: first, status_reason: null },
      { email: disabled, status: 'skipped', status_reason: 'contact_disabled', message_id: null },
      { email: unsubscribed, status: 'skipped', status_reason: 'contact_unsubscribed' },
      { email: gone, status: 'skipped', status_reason: 'not_confirmed' },
      { email: suppressed, status: 'suppressed', sent_at: null },
    ]);
    await eventually(() => arrived(first)).toHaveLength(1);
    for (const to of [disabled, unsubscribed, gone, suppressed]) expect(await arrived(to)).toEqual([]);
  });
});

describe('spec 3-marketing §4.4 the daily limit', () => {
  it('spec 3-marketing §4.4 rule 1, §4.4 rule 2: is never exceeded by campaigns together', async () => {
    const limited = await Sender.make(postmesh);
    const own = clientOf(limited);
    await dailyLimit(limited, 25);
    const list = await own.list(addresses(20));
    const ids = [await own.campaign([list]), await own.campaign([list])];
    for (const id of ids) await own.send(id);
    const statuses = async () =>
      (await Promise.all(ids.map((id) => own.read(id)))).map(({ status }) => status).sort();
    await eventually(statuses, 40_000).toEqual(['paused', 'sent']);
    const all = await Promise.all(ids.map((id) => own.stats(id)));
    expect(all.reduce((sum, { pending = 0 }) => sum + pending, 0)).toBe(15);
    const paused = (await Promise.all(ids.map(async (id) => [id, await own.read(id)] as const))).find(
      ([, { status }]) => status === 'paused',
    )!;
    expect(paused[1]).toMatchObject({ status_reason: 'daily marketing limit reached' });
    await dailyLimit(limited, 100);
    await resume(paused[0]);
    await becomes(paused[0], 'sent', own);
    await eventually(() => own.stats(paused[0])).toMatchObject({ delivered: 20, pending: 0 });
  });
});
