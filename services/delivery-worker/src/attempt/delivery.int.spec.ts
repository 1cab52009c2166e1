import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { headerOf, MailHost } from '../testing/mail-host.js';
import { ACCOUNT, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await worker.stop();
  await host.stop();
});
afterEach(() => {
  host.manners = {};
  host.letters.length = 0;
});

describe('an accepted letter', () => {
  it('goes to each recipient in a transaction of its own, signed, with a return path that names the message', async () => {
    const ids = await worker.accept({ to: ['ann@mail.test', 'bob@other.test'] });
    const told = await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    expect(host.recipients.sort()).toEqual(['ann@mail.test', 'bob@other.test']);
    for (const letter of host.letters) {
      expect(headerOf(letter, 'Message-ID')).toBe(`<${ids[0]}@shop.test>`);
      expect(headerOf(letter, 'DKIM-Signature')).toContain('d=shop.test; s=pm1');
      expect(letter.sender).toMatch(/^b\+[a-z0-9]+@rp\.shop\.test$/);
    }
    expect(new Set(host.letters.map(({ sender }) => sender)).size).toBe(2);
    expect(told[0]).toMatchObject({
      attempt: 1,
      sandbox: false,
      next_attempt_at: null,
      answer: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
      uncertain: false,
      remote_host: 'mx.mail.test',
    });
    expect(told[0]!.first_attempt_at).toBe(told[0]!.started_at);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('says so much of its attempt afterwards', async () => {
    const [id] = await worker.accept();
    await worker.outcome(id!, 'delivered');
    const rows = await worker.database.query('select * from attempts where delivery_id = $1', [id]);
    expect(rows).toMatchObject([
      { attempt: 1, outcome: 'delivered', smtp_code: 250, remote_host: 'mx.mail.test', uncertain: false },
    ]);
    expect(ACCOUNT).toBeTruthy();
  });
});
