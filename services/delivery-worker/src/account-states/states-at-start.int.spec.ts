import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest | undefined;

beforeAll(async () => {
  host = await MailHost.start();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  host.messages.length = 0;
});
afterAll(() => host.stop());

const start = (accounts: (request: { path: string }) => { status: number; body: unknown }) =>
  startWorker({ databaseUrl: database.url, port: host.port, accounts });
const suspended = (account_id: string) => ({
  account_id,
  parent_account_id: null,
  state: 'suspended',
  revision: 7,
});
const states = async (running: WorkerUnderTest) =>
  (await running.deliveries()).map(({ state, reason }) => [state, reason]);

describe('a worker that begins', () => {
  it('knows the suspended accounts before its first claim, without an event about them', async () => {
    const account = newId();
    const flowing = newId();
    let asked = 0;
    let open = false;
    // accounts is unavailable while due mail arrives
    worker = await start(() => {
      asked += 1;
      return open
        ? { status: 200, body: { accounts: [suspended(account)], next: null } }
        : { status: 503, body: { message: 'away' } };
    });
    const running = worker;
    await running.accept({ accountId: account });
    await running.accept({ accountId: flowing });
    await expect.poll(() => asked).toBeGreaterThan(1);
    expect(host.messages).toHaveLength(0);
    open = true;
    await expect.poll(() => host.messages.length).toBe(1);
    await expect.poll(() => states(running)).toEqual([['suspended', 'the account is suspended']]);
    await running.database.query('delete from deliveries');
  });

  it('reads every page', async () => {
    const [first, second] = [newId(), newId()];
    const asked: string[] = [];
    worker = await start(({ path }) => {
      asked.push(path);
      const last = path.endsWith(`?after=${first}`);
      const accounts = [suspended(last ? second : first)];
      return { status: 200, body: { accounts, next: last ? null : first } };
    });
    const known = () =>
      worker?.database.query('select account_id from account_states where account_id = any($1::uuid[])', [
        [first, second],
      ]);
    await expect.poll(known).toHaveLength(2);
    expect(asked).toEqual(['/internal/account-states', `/internal/account-states?after=${first}`]);
  });

  it('stops while accounts is unavailable', async () => {
    worker = await start(() => ({ status: 503, body: {} }));
    await worker.stop();
  });
});
