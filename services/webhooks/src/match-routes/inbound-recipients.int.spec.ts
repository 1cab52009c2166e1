import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainChanged } from '@postmesh/domains-contract';
import { InboundRecipients } from '@postmesh/webhooks-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

// proven again: several owners of one domain, and many recipients in one request
const database = testDatabase();
let under: WebhooksUnderTest;
let account_id: string;
let domain: string;

beforeAll(async () => {
  under = await startWebhooks(database.url, { routeLimit: 1_000 });
});
afterAll(() => under.stop());
beforeEach(() => {
  account_id = newId();
  domain = `d-${newId()}.test`;
  under.owned.set(account_id, [domain]);
});

const route = async (recipient: string, more: object = {}, account = account_id): Promise<string> => {
  const body = { name: 'Route', url: 'https://shop.test/in', recipient, ...more };
  const { status, body: made } = await under.routes('POST', '', { account_id: account, body });
  expect(status).toBe(201);
  return made.id;
};
const asked = async (...recipients: string[]) => {
  const { status, body } = await under.internal('POST', '/internal/inbound-recipients', { recipients });
  expect(status).toBe(200);
  return InboundRecipients.parse(body).recipients;
};
/** the accounts that take mail, per recipient */
const takers = async (...recipients: string[]) =>
  (await asked(...recipients)).map(({ owners }) => owners.map((owner) => owner.account_id).sort());

describe('§13.4 rule 2: the owners of mail at RCPT TO', () => {
  it('are the accounts with an enabled matching route, with the domain', async () => {
    await route(`ticket-*@${domain}`);
    await route(`off@${domain}`, { enabled: false });
    const recipients = [
      `TICKET-1@${domain.toUpperCase()}`,
      `off@${domain}`,
      `ticket@${domain}`,
      'x@nobody.test',
    ];
    const [first, ...others] = await asked(...recipients);
    const owner = { account_id, domain_id: under.domainId(account_id, domain), domain };
    expect(first).toEqual({ recipient: recipients[0], owners: [owner] });
    expect(others).toEqual(recipients.slice(1).map((recipient) => ({ recipient, owners: [] })));
  });

  it('include every owner of the domain with a route', async () => {
    const [second, third] = [newId(), newId()];
    for (const account of [second, third]) under.owned.set(account, [domain]);
    await route(`*@${domain}`);
    await route(`a@${domain}`, {}, second);
    expect(await takers(`a@${domain}`, `b@${domain}`)).toEqual([[account_id, second].sort(), [account_id]]);
  });

  it('are none for an invalid address, with any routes', async () => {
    await route('');
    const nonsense = [
      '',
      'x',
      `@${domain}`,
      `a b@${domain}`,
      `x@[192.0.2.1]`,
      `a\r\n@${domain}`,
      '"@"',
      '<>',
    ];
    expect(await takers(...nonsense)).toEqual(nonsense.map(() => []));
    expect(await takers(`"quo@ted"@${domain}`, `plus+x@${domain}`)).toEqual([[account_id], [account_id]]);
  });

  it('exist from the response to the create on, until the route is disabled or its domain is deleted', async () => {
    expect(await takers(`x@${domain}`)).toEqual([[]]);
    const id = await route(`x@${domain}`);
    expect(await takers(`x@${domain}`)).toEqual([[account_id]]);
    const enable = (enabled: boolean) => under.routes('PUT', `/${id}`, { account_id, body: { enabled } });
    await enable(false);
    expect(await takers(`x@${domain}`)).toEqual([[]]);
    await enable(true);
    expect(await takers(`x@${domain}`)).toEqual([[account_id]]);
    under.owned.set(account_id, []);
    const domain_id = under.domainId(account_id, domain);
    const facts = { ...DomainChanged.examples[0]!, domain_id, account_id, domain, deleted: true };
    await deliver(under.service, [DomainChanged.make(facts, { account_id })]);
    expect(await takers(`x@${domain}`)).toEqual([[]]);
  });

  it('are returned for up to 50 recipients at once', async () => {
    const many = Array.from({ length: 50 }, (_, nth) => `x${nth}@${domain}`);
    await route(`x*@${domain}`);
    expect(await takers(...many)).toEqual(many.map(() => [account_id]));
    const request = (recipients: unknown) =>
      under.internal('POST', '/internal/inbound-recipients', { recipients });
    expect((await request([...many, 'one@too.many'])).status).toBe(400);
    expect((await request([])).status).toBe(400);
  });
});
