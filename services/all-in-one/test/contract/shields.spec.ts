import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendMessage } from './families.js';
import { eventually, Postmesh, sharedInstallation, unique, type Account } from './harness.js';
import { CONTRACT_SETTINGS } from './installation-facts.js';

const TOXIC = '553 Requested action not taken: recipient domain is toxic or tempmail';
const MISTYPED = '553 Requested action not taken: recipient domain has common a typo';

/** What each recipient of one message is told: the error, else the status. */
async function told(postmesh: Postmesh, account: Account, domain: string, to: readonly string[]) {
  const { status, body } = await sendMessage(postmesh, account, { from: domain, to });
  expect(status).toBe(202);
  return body.data.map((one: { error?: string; status: string }) => one.error ?? one.status);
}

async function shieldedAccount(postmesh: Postmesh): Promise<{ account: Account; domain: string }> {
  const account = await postmesh.newAccount();
  const body = { reject_bad_recipients: true, reject_mistyped_recipients: true };
  expect((await postmesh.api(account.key, 'PUT', '{A}', { body })).status).toBe(200);
  return { account, domain: await postmesh.verifiedDomain(account) };
}

describe('§7 recipient shields', () => {
  const postmesh = sharedInstallation();

  it('§7 rule 4 keeps a message from listed domains, what is below them too, and it arrives at the others', async () => {
    const { account, domain } = await shieldedAccount(postmesh);
    const ann = `${unique('ann')}@mail.test`;
    const to = ['a@mailinator.com', ann, 'b@mail.yopmail.com', 'c@gmai.com', 'd@hotnail.com'];
    expect(await told(postmesh, account, domain, to)).toEqual([TOXIC, 'queued', TOXIC, MISTYPED, MISTYPED]);
    await eventually(async () => (await postmesh.messagesTo(ann)).length).toBe(1);
    const messages = await postmesh.sql(
      'select recipient from messages.messages where account_id = $1 order by recipient',
      [account.id],
    );
    expect(messages).toEqual([{ recipient: ann }]);
  });

  it('§7 rule 4 is 202 also when it leaves nobody', async () => {
    const { account, domain } = await shieldedAccount(postmesh);
    expect(await told(postmesh, account, domain, ['a@mailinator.com'])).toEqual([TOXIC]);
  });
});

describe('§7 recipient shields with lists of the operator', () => {
  let folder: string;
  const postmesh = new Postmesh();
  const list = (name: string, ...domains: string[]) =>
    writeFile(join(folder, name), `# ours\n${domains.join('\n')}\n`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postmesh-lists-'));
    await list('toxic.txt', 'tempbox.test');
    await list('mistyped.txt', 'mial.test');
    await postmesh.start({
      ...CONTRACT_SETTINGS,
      POSTMESH_TOXIC_DOMAINS_FILE: join(folder, 'toxic.txt'),
      POSTMESH_MISTYPED_DOMAINS_FILE: join(folder, 'mistyped.txt'),
    });
  });
  afterAll(async () => {
    await postmesh.leave();
    await rm(folder, { recursive: true });
  });

  it('§7 rule 4 goes by the data files of the operator, as they are now', async () => {
    const { account, domain } = await shieldedAccount(postmesh);
    const to = ['a@tempbox.test', 'b@mx.tempbox.test', 'c@mial.test', 'd@mailinator.com', 'e@new.test'];
    const before = [TOXIC, TOXIC, MISTYPED, 'queued', 'queued'];
    expect(await told(postmesh, account, domain, to)).toEqual(before);
    await list('toxic.txt', 'tempbox.test', 'new.test');
    await eventually(() => told(postmesh, account, domain, to)).toEqual([...before.slice(0, 4), TOXIC]);
  });
});
