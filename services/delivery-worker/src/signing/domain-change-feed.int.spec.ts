import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import { DomainChanged } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { freshWorlds } from '../testing/fresh-world.js';
import { ACCOUNT, type KeyAnswer, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { SigningDirectory } from './signing-directory.js';

const world = freshWorlds();
const SOON = { interval: 20 };

const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = (selector: string) => ({
  status: 200,
  body: { key_id: selector, domain: 'shop.test', selector, private_key_pem: PEM },
});
const signs = async (worker: WorkerUnderTest, domainId: string) =>
  (await worker.service.get(SigningDirectory).find(domainId))?.selector;
const change = (domain_id: string) =>
  DomainChanged.make(
    { ...DomainChanged.examples[0]!, domain_id, account_id: ACCOUNT },
    { account_id: ACCOUNT },
  );

it('a switch of keys reaches every worker, whichever of them consumes the event', async () => {
  const { start } = await world();
  let current = 'managed';
  let asked = 0;
  const domains: KeyAnswer = () => {
    asked += 1;
    return key(current);
  };
  const workers = [await start({ domains }), await start({ domains })];
  const [one, other] = [newId(), newId()];
  for (const worker of workers) {
    for (const id of [one, other]) expect(await signs(worker, id)).toBe('managed');
  }
  current = 'managed2';
  await workers[0]!.bus.publish([change(one)]);
  for (const worker of workers) {
    await expect.poll(() => signs(worker, one), SOON).toBe('managed2');
    // an unchanged domain is not requested again
    expect(await signs(worker, other)).toBe('managed');
  }
  expect(asked).toBe(6);
});

it('a worker that could not listen for a while requests every key again', async () => {
  const { start, url, closing } = await world();
  let current = 'managed';
  const worker = await start({ domains: () => key(current) });
  const id = newId();
  expect(await signs(worker, id)).toBe('managed');
  current = 'managed2';
  expect(await signs(worker, id)).toBe('managed');
  const listening = `application_name = 'postmesh-delivery-worker-domain-changes' and datname = current_database()`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  closing.push(() => admin.end());
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${listening}`);
  await expect.poll(() => signs(worker, id), SOON).toBe('managed2');
});
