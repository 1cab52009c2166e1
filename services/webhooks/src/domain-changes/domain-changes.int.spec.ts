import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainChanged } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, stoppedWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

// proven again: a late deletion event of a domain that was added again, and dropped calls
const database = testDatabase();
let under: WebhooksUnderTest;

beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());

function changed(account_id: string, domain: string, deleted: boolean, domain_id: string = newId()) {
  const facts = { ...DomainChanged.examples[0]!, domain_id, account_id, domain, deleted };
  return DomainChanged.make(facts, { account_id });
}

async function webhook(account_id: string, domains: string[]): Promise<string> {
  under.owned.set(account_id, ['a.test', 'b.test', 'c.test', 'd.test']);
  const body = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'scoped', domains, on_opened: true };
  return (await under.webhooks('POST', '', { account_id, body })).body.id;
}

it('deleted domains are removed from the account’s webhooks, in order, several in one batch', async () => {
  const [mine, other] = [newId(), newId()];
  const three = await webhook(mine, ['d.test', 'a.test', 'b.test']);
  const two = await webhook(mine, ['a.test', 'b.test']);
  const theirs = await webhook(other, ['a.test']);
  await deliver(under.service, [
    changed(mine, 'a.test', true),
    changed(mine, 'd.test', false),
    changed(mine, 'b.test', true),
    changed(newId(), 'a.test', true),
  ]);
  const domainsOf = async (account_id: string, id: string) =>
    (await under.webhooks('GET', `/${id}`, { account_id })).body.domains;
  expect(await domainsOf(mine, three)).toEqual(['d.test']);
  expect(await domainsOf(mine, two)).toEqual([]);
  expect(await domainsOf(other, theirs)).toEqual(['a.test']);
});

describe('§11.9: routes of a deleted domain', () => {
  const ROUTE = { name: 'Route', url: 'https://shop.test/in' };
  async function route(account_id: string, recipient: string): Promise<string> {
    under.owned.set(account_id, ['a.test', 'b.test']);
    return (await under.routes('POST', '', { account_id, body: { ...ROUTE, recipient } })).body.id;
  }
  const isEnabled = async (account_id: string, id: string) =>
    (await under.routes('GET', `/${id}`, { account_id })).body.enabled;

  it('are disabled, and their pending calls are dropped; other routes and those of all domains stay', async () => {
    const mine = newId();
    const [gone, stays, every] = [
      await route(mine, '*@a.test'),
      await route(mine, '*@b.test'),
      await route(mine, ''),
    ];
    const deleted = changed(mine, 'a.test', true, under.domainId(mine, 'a.test'));
    await deliver(under.service, [deleted, changed(mine, 'b.test', false, under.domainId(mine, 'b.test'))]);
    expect([await isEnabled(mine, gone), await isEnabled(mine, stays), await isEnabled(mine, every)]).toEqual(
      [false, true, true],
    );
    await under.until(() =>
      stoppedWebhooks(under.published).some(
        ({ webhook_id, reason }) => webhook_id === gone && reason === 'disabled',
      ),
    );
  });

  it('do not include those of the domain after it was added again', async () => {
    const mine = newId();
    const before = under.domainId(mine, 'a.test');
    under.forgetDomainIds();
    const id = await route(mine, 'x@a.test');
    await deliver(under.service, [changed(mine, 'a.test', true, before)]);
    expect(await isEnabled(mine, id)).toBe(true);
  });
});
