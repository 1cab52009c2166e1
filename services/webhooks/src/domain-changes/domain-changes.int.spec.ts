import { afterAll, beforeAll, expect, it } from 'vitest';
import { DomainChanged, newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startWebhooks, type WebhooksUnderTest } from '../testing/webhooks-under-test.js';

const database = testDatabase();
let under: WebhooksUnderTest;

beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());

function changed(account_id: string, domain: string, deleted: boolean) {
  const facts = { ...DomainChanged.examples[0]!, domain_id: newId(), account_id, domain, deleted };
  return DomainChanged.make(facts, { account_id });
}

async function webhook(account_id: string, domains: string[]): Promise<string> {
  under.owned.set(account_id, ['a.test', 'b.test', 'c.test', 'd.test']);
  const body = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'scoped', domains };
  return (await under.webhooks('POST', '', { account_id, body })).body.id;
}

it('deleted domains leave the account’s webhooks, in order, several in one batch', async () => {
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
