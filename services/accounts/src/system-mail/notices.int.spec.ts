import { CampaignReviewChanged } from '@postmesh/marketing-contract';
import { DomainDnsFailed } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { DomainAlignmentChanged } from '@postmesh/messages-contract';
import { MailSlowed } from '@postmesh/delivery-worker-contract';
import { WebhookDisabled, WebhookFailing } from '@postmesh/webhooks-contract';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { ReceivedMail, type RequestedMail } from '../testing/received-mail.js';

// proven again: events that come again or together, a crowd of members, and the recipients of each mail
const database = testDatabase();
let accounts: TestService;
let mail: ReceivedMail;
let counted = 0;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, { databaseUrl: database.url });
  mail = await ReceivedMail.of(accounts);
});
afterAll(() => accounts.stop());

const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);
const addresses = (message?: RequestedMail) => message?.recipients.map(({ email }) => email).sort();

/** An account with an owner, an Administrator and a Developer, named after its number. */
async function peopledAccount() {
  const number = (counted += 1);
  const made = await accounts.internal('POST', '/operator/accounts', {
    name: `Shop ${number}`,
    owner_email: `owner-${number}@mail.test`,
  });
  const id: string = made.body.id;
  for (const [who, role] of [
    ['admin', 'Administrator'],
    ['dev', 'Developer'],
  ]) {
    const body = { email: `${who}-${number}@mail.test`, role };
    const added = await accounts.call('POST', `/v2/accounts/${id}/members`, { account_id: id, body });
    expect(added.status).toBe(201);
  }
  return {
    id,
    name: `Shop ${number}`,
    owner: `owner-${number}@mail.test`,
    admin: `admin-${number}@mail.test`,
    dev: `dev-${number}@mail.test`,
  };
}

const domainFailed = (account_id: string, domain: string) =>
  DomainDnsFailed.make(
    { ...DomainDnsFailed.examples[0]!, domain_id: newId(), account_id, domain },
    { account_id },
  );

describe('notices of events of other services', () => {
  it('§11.5 rule 5: a failed domain is mailed to all members once, however often the event comes', async () => {
    const account = await peopledAccount();
    const event = domainFailed(account.id, 'shop.test');
    await accounts.bus.publish([event]);
    await mail.expect(account.id, 'domain-dns-failed', 1);
    await accounts.bus.publish([event, domainFailed(account.id, 'other.test')]);
    const messages = await mail.expect(account.id, 'domain-dns-failed', 2);
    expect(messages.map(({ subject }) => subject)).toEqual([
      'shop.test can no longer send email',
      'other.test can no longer send email',
    ]);
    expect(addresses(messages[0])).toEqual([account.admin, account.dev, account.owner]);
    expect(messages[0]?.text).toContain(
      'shop.test: DKIM missing or wrong, checked at 2026-01-05T10:00:00.000Z',
    );
  });

  it('domains that fail together are in one message', async () => {
    const account = await peopledAccount();
    const events = ['a', 'b', 'c'].map((name) => domainFailed(account.id, `${name}.test`));
    await accounts.bus.publish(events);
    const [message] = await mail.expect(account.id, 'domain-dns-failed', 1);
    expect(message?.subject).toBe(`3 domains of ${account.name} can no longer send email`);
    for (const name of ['a', 'b', 'c']) expect(message?.text).toContain(`${name}.test: DKIM`);
  });

  it('a domain whose alignment falls is in a message, and not one that is as before', async () => {
    const account = await peopledAccount();
    const data = { ...DomainAlignmentChanged.examples[0]!, domain_id: newId() };
    const back = { ...data, domain_id: newId(), domain: 'other.test', change: 'recovered' as const };
    await accounts.bus.publish([
      DomainAlignmentChanged.make(back, { account_id: account.id }),
      DomainAlignmentChanged.make(data, { account_id: account.id }),
    ]);
    const [message] = await mail.expect(account.id, 'domain-alignment-fallen', 1);
    expect(message?.subject).toBe('Less mail of shop.test proves its sender');
    expect(addresses(message)).toEqual([account.admin, account.dev, account.owner]);
    expect(message?.text).toContain('Aligned in the last two reported days: 88 %');
    expect(message?.text).toContain('Before: 99 %');
  });

  it('mail that waits long for a provider is in a message, with the share that waits', async () => {
    const account = await peopledAccount();
    const data = { ...MailSlowed.examples[0]!, account_id: account.id };
    await accounts.bus.publish([MailSlowed.make(data, { account_id: account.id })]);
    const [message] = await mail.expect(account.id, 'mail-slowed', 1);
    expect(message?.subject).toBe(`Mail of ${account.name} waits for Google`);
    expect(addresses(message)).toEqual([account.admin, account.dev, account.owner]);
    expect(message?.text).toContain(
      'Google: 1204 messages, 40 % of what is queued, to gmail.com, since 2026-01-05T08:00:00.000Z; Google takes 0.5 messages a second from us (421 4.7.28)',
    );
  });

  it('spec 2-messages §18 rule 8: the mail to all members names the webhook that is failing, since when, the last failure, and how to recover', async () => {
    const account = await peopledAccount();
    const webhook_id = newId();
    const data = { ...WebhookFailing.examples[0]!, webhook_id, account_id: account.id, name: '<b>Hook</b>' };
    await accounts.bus.publish([WebhookFailing.make(data, { account_id: account.id })]);
    const [message] = await mail.expect(account.id, 'webhook-failing', 1);
    expect(message?.subject).toBe(`The webhook <b>Hook</b> of ${account.name} is failing`);
    expect(addresses(message)).toEqual([account.admin, account.dev, account.owner]);
    expect(message?.html).toContain('&lt;b&gt;Hook&lt;/b&gt;');
    expect(message?.text).toContain('until 2026-01-10T08:00:00.000Z, the webhook is disabled');
    expect(message?.text).toContain('Failing since: 2026-01-05T08:00:00.000Z');
    expect(message?.text).toContain('Last failure: answered 503');
    expect(message?.text).toContain(
      `POST /v2/accounts/${account.id}/webhooks/${webhook_id}/recover {"since": "2026-01-05T08:00:00.000Z"}`,
    );
  });

  it('spec 2-messages §18 rule 8: the same when it was disabled, with how to enable it', async () => {
    const account = await peopledAccount();
    const data = { ...WebhookDisabled.examples[0]!, account_id: account.id, name: 'Hook' };
    await accounts.bus.publish([WebhookDisabled.make(data, { account_id: account.id })]);
    const [message] = await mail.expect(account.id, 'webhook-disabled', 1);
    expect(message?.subject).toBe(`The webhook Hook of ${account.name} was disabled`);
    expect(addresses(message)).toEqual([account.admin, account.dev, account.owner]);
    expect(message?.text).toContain('Failures in a row: 1302');
    const path = `/v2/accounts/${account.id}/webhooks/${data.webhook_id}`;
    expect(message?.text).toContain(`PUT ${path} {"enabled": true}`);
    expect(message?.text).toContain(`POST ${path}/recover`);
  });

  it('a disabled route is named as a route, also in events of an older release', async () => {
    const account = await peopledAccount();
    const data = { webhook_id: newId(), target: 'route', account_id: account.id, name: 'Tickets' } as const;
    await accounts.bus.publish([
      WebhookDisabled.make({ ...data, reason: 'too-many-errors' }, { account_id: account.id }),
    ]);
    const [message] = await mail.expect(account.id, 'webhook-disabled', 1);
    expect(message?.subject).toBe(`The route Tickets of ${account.name} was disabled`);
    expect(addresses(message)).toEqual([account.admin, account.dev, account.owner]);
    expect(message?.text).toContain('Route: Tickets');
    expect(message?.text).toContain(`/v2/accounts/${account.id}/routes/${data.webhook_id}/recover`);
  });

  it('spec 3-marketing §6.5 the review of a campaign is mailed to all members: pending, approved, returned, rejected', async () => {
    const account = await peopledAccount();
    const tell = (outcome: 'pending' | 'approved' | 'returned' | 'rejected', note: string | null) =>
      CampaignReviewChanged.make(
        { campaign_id: newId(), account_id: account.id, name: 'Spring <sale>', outcome, note },
        { account_id: account.id },
      );
    await accounts.bus.publish([
      tell('pending', 'the content needs a review'),
      tell('approved', null),
      tell('returned', `Add your imprint. ${'x'.repeat(400)}`),
      tell('rejected', 'no consent'),
    ]);
    const messages = await mail.expect(account.id, 'campaign-review-changed', 4);
    expect(messages.map(({ subject }) => subject)).toEqual(
      ['waits for a review', 'was approved', 'was returned', 'was rejected'].map(
        (what) => `A campaign of ${account.name} ${what}`,
      ),
    );
    expect(addresses(messages[0])).toEqual([account.admin, account.dev, account.owner]);
    expect(messages[0]?.text).toContain('The reason: the content needs a review');
    expect(messages[0]?.text).toMatch(
      new RegExp(`POST /v2/accounts/${account.id}/campaigns/[0-9a-f-]{36}/unschedule`),
    );
    expect(messages[2]?.text).toContain(`The note: Add your imprint. ${'x'.repeat(400)}`);
    expect(messages[3]?.html).toContain('Spring &lt;sale&gt;');
  });

  it('is mailed to no one after the account was deleted', async () => {
    const account = await peopledAccount();
    await sql('update accounts set deleted_at = now() where id = $1', [account.id]);
    const present = await peopledAccount();
    await accounts.bus.publish([
      domainFailed(newId(), 'a.test'),
      domainFailed(account.id, 'b.test'),
      domainFailed(present.id, 'c.test'),
    ]);
    await mail.expect(present.id, 'domain-dns-failed', 1);
    await mail.expect(account.id, 'domain-dns-failed', 0);
  });

  it('reaches any number of members, a hundred per request', async () => {
    const account = await peopledAccount();
    await sql(
      `with added as (
         insert into users (id, email, created_at, updated_at)
         select gen_random_uuid(), $2 || n || '@mail.test', now(), now() from generate_series(1, 200) n returning id)
       insert into members (account_id, user_id, role, created_at, updated_at)
       select $1, id, 'Analyst', now(), now() from added`,
      [account.id, `crowd-${account.id}-`],
    );
    await accounts.bus.publish([domainFailed(account.id, 'crowd.test')]);
    const messages = await mail.expect(account.id, 'domain-dns-failed', 3);
    expect(messages.map(({ recipients }) => recipients.length)).toEqual([100, 100, 3]);
    expect(new Set(messages.map(({ mail_id }) => mail_id)).size).toBe(3);
    expect(new Set(messages.flatMap((message) => addresses(message))).size).toBe(203);
  });
});

describe('§3 rule 8: an IP allow list', () => {
  const LIST = ['192.0.2.0/24'];
  const keys = (id: string, method: 'POST' | 'PUT', rest: string, body: object) =>
    accounts.call(method, `/v2/accounts/${id}/api-keys${rest}`, { account_id: id, body });
  const KEY = { label: 'Production\u202e', scopes: ['lists:read'] };
  const allowListMails = (id: string, count: number) => mail.expect(id, 'ip-allow-list-changed', count);

  it('is mailed to owner and Administrators when a key is made with one, without secret and list', async () => {
    const account = await peopledAccount();
    const { body: key } = await keys(account.id, 'POST', '', { ...KEY, ip_allow_list: LIST });
    const [message] = await allowListMails(account.id, 1);
    expect(addresses(message)).toEqual([account.admin, account.owner]);
    expect(message?.text).toContain(`API key: Production\nPublic key: ${key.public_key}`);
    expect(JSON.stringify(message)).not.toContain(key.secret_key);
    expect(JSON.stringify(message)).not.toContain('192.0.2');
  });

  it('is mailed when it changes or is cleared, and not when another field changes', async () => {
    const account = await peopledAccount();
    const { body: key } = await keys(account.id, 'POST', '', KEY);
    for (const change of [
      { label: 'a' },
      { ip_allow_list: LIST },
      { label: 'b', ip_allow_list: LIST },
      { ip_allow_list: [] },
      { label: 'c' },
    ]) {
      expect((await keys(account.id, 'PUT', `/${key.id}`, change)).status).toBe(200);
    }
    const messages = await allowListMails(account.id, 2);
    expect(messages.map(({ text }) => /API key: (\S+)/.exec(text)?.[1])).toEqual(['a', 'b']);
  });

  it("is mailed to the owner of a sub-account, who is the parent's owner and no member", async () => {
    const account = await peopledAccount();
    const child = newId();
    await sql(
      `insert into accounts (id, parent_account_id, name, platform_partner, owner_id, created_at, updated_at)
       select $2, id, 'Child', platform_partner, owner_id, now(), now() from accounts where id = $1`,
      [account.id, child],
    );
    await keys(child, 'POST', '', { ...KEY, ip_allow_list: LIST });
    const [message] = await allowListMails(child, 1);
    expect(addresses(message)).toEqual([account.owner]);
    expect(message?.text).toContain('Account: Child');
  });
});
