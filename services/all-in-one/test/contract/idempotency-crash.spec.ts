import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ownInstallation, unique, uniqueDomain, type Account } from './harness.js';
import { holdAccount, holdDomainCreates } from './held-account.js';
import { expectFresh, expectInProgress, hook, KEY_BODY, keyedRequests } from './keyed-requests.js';

const WEBHOOKS = 60;

// With the lease of production: no step below could wait for its end.
const postmesh = ownInstallation({});

/** One account for each kind of create, so that a held create blocks no other kind. */
interface Create {
  account: Account;
  key: string;
  body: object;
}
const create = (account: Account, body: object): Create => ({ account, key: unique('k'), body });
const requests = (made: Create) => keyedRequests(postmesh, () => made.account);
/** whether the response came before the process ended */
const send = (path: string, made: Create): Promise<boolean> =>
  requests(made)
    .post(path, made.body, made.key)
    .then(
      () => true,
      () => false,
    );
const isClaimed = (service: string, made: Create) =>
  vi.waitFor(async () => expect(await requests(made).claims(service, made.key)).toHaveLength(1), 60_000);

const domain = uniqueDomain();
let domainCreate: Create;
let keyCreate: Create;
let webhookCreates: Create[];
let keysBefore: number;
const keysOf = async ({ id }: Account): Promise<number> =>
  (await postmesh.sql('select from accounts.api_keys where account_id = $1', [id])).length;

/** kill -9: two creates between their claim and their effect, many others at any step. */
beforeAll(async () => {
  domainCreate = create(await postmesh.newAccount(), { domain });
  keyCreate = create(await postmesh.newAccount(), KEY_BODY);
  const account = await postmesh.newAccount();
  webhookCreates = Array.from({ length: WEBHOOKS }, () => create(account, hook()));
  keysBefore = await keysOf(keyCreate.account);
  const holds = [
    await holdDomainCreates(postmesh, domainCreate.account.id),
    await holdAccount(postmesh, keyCreate.account.id),
  ];
  const held = [send('{A}/domains', domainCreate), send('{A}/api-keys', keyCreate)];
  await isClaimed('domains', domainCreate);
  await isClaimed('accounts', keyCreate);
  const others = webhookCreates.map((made) => send('{A}/webhooks', made));
  await delay(5 + Math.floor(Math.random() * 120));
  await postmesh.installation.stop('SIGKILL');
  expect(await Promise.all(held)).toEqual([false, false]);
  await Promise.all([...others, ...holds.map((hold) => hold.release())]);
  await postmesh.start({});
});

describe('§4.3 and §4.4 kill -9 of the whole installation', () => {
  it('§4.3 rule 4 after a lost process the request runs again at once', async () => {
    const response = await requests(domainCreate).post('{A}/domains', domainCreate.body, domainCreate.key);
    expectFresh(response, 201);
    expect(await postmesh.sql('select from domains.domains where domain = $1', [domain])).toHaveLength(1);
  });

  it('§4.3 rule 4 killed at a random moment under load: every request is done exactly once', async () => {
    const answers = await Promise.all(
      webhookCreates.map((made) => requests(made).post('{A}/webhooks', made.body, made.key)),
    );
    expect(answers.map(({ status }) => status)).toEqual(webhookCreates.map(() => 201));
    const wanted = webhookCreates.map(({ body }) => (body as { name: string }).name);
    const rows = await postmesh.sql<{ name: string }>(
      'select name from webhooks.webhooks where name = any($1)',
      [wanted],
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  it('§4.4 rule 3 a lost process keeps the key until the lease ends, and leaves no key behind', async () => {
    const response = await requests(keyCreate).post('{A}/api-keys', KEY_BODY, keyCreate.key);
    expectInProgress(response);
    expect(await keysOf(keyCreate.account)).toBe(keysBefore);
  });
});
