import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { a, mx, NameServer } from '../testing/name-server.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  // silent-9.test does not listen; mail for gmail.test goes to Google
  const dns = await NameServer.start((name, type) => {
    if (type === 'MX') return [mx(name, name === 'gmail.test' ? 'mx.google.com' : `mx.${name}`, 10)];
    return type === 'A' ? [a(name, `127.0.0.${/silent-(\d+)/.exec(name)?.[1] ?? 1}`)] : [];
  });
  worker = await startWorker({ databaseUrl: database.url, port: host.port, dns });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});

const becomes = async (to: string, outcome: 'bounced' | 'deferred' | 'delivered') => {
  const [id] = await worker.accept({ to: [to] });
  return worker.outcome(id!, outcome);
};

describe('silence', () => {
  it('may be our own trouble while no server has replied to this worker, and is theirs afterwards', async () => {
    expect((await becomes('ann@silent-9.test', 'deferred')).reply).toMatchObject({
      smtp_code: 0,
      kind: 'own',
    });
    await becomes('ann@mail.test', 'delivered');
    expect((await becomes('ann@silent-8.test', 'deferred')).reply).toMatchObject({
      smtp_code: 0,
      kind: 'infra',
    });
  });
});

describe('a reply', () => {
  it('is read by the rows of the provider whose hosts take the mail', async () => {
    const reply = '550 5.2.1 The user is receiving mail at a rate that prevents more';
    host.manners = { reply: (line) => (line.startsWith('RCPT') ? reply : undefined) };
    const [theirs, others] = [
      await becomes('ann@gmail.test', 'bounced'),
      await becomes('ann@mail.test', 'bounced'),
    ];
    expect(theirs.reply).toMatchObject({ kind: 'rate', rule: 'google-recipient-rate' });
    expect(others.reply).toMatchObject({ kind: 'inactive', rule: 'code-inactive' });
    expect([theirs.classification, others.classification]).toEqual(['PolicyRelated', 'InactiveMailbox']);
  });
});
