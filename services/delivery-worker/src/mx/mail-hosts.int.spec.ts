import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { a, mx, NameServer } from '../testing/name-server.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let names: NameServer;
let worker: WorkerUnderTest;
let asked = 0;

beforeAll(async () => {
  names = await NameServer.start((name, type) => {
    if (name === 'mail.test' && type === 'MX') asked += 1;
    const records = {
      'MX mail.test': [mx(name, 'mx.mail.test', 10)],
      'A mx.mail.test': [a(name, '192.0.2.1')],
      'AAAA mx.mail.test': [],
      'MX null.test': [mx(name, '.', 0)],
      'MX broken.test': 'SERVFAIL' as const,
    };
    return records[`${type} ${name}` as keyof typeof records] ?? 'NXDOMAIN';
  });
  worker = await startWorker({
    databaseUrl: database.url,
    port: 25,
    settings: { dnsServers: [names.address] },
  });
});
afterAll(async () => {
  await worker?.stop();
  await names?.stop();
});

const find = (domains: readonly string[]) => worker.internal('POST', '/internal/mail-hosts', { domains });

describe('spec 3-marketing §6.3: whether domains take mail', () => {
  it('spec 3-marketing §6.3 is answered in the order of the request, each domain looked up once', async () => {
    const domains = ['mail.test', 'null.test', 'gone.test', 'broken.test', 'mail.test', 'no domain'];
    const { status, body } = await find(domains);
    expect(status).toBe(200);
    expect(body.domains).toEqual(
      ['found', 'null_mx', 'no_such_domain', 'unknown', 'found', 'no_such_domain'].map((hosts, at) => ({
        domain: domains[at],
        hosts,
      })),
    );
    await find(['mail.test']);
    expect(asked).toBe(1);
  });

  it('is asked about a hundred domains at most', async () => {
    const domains = Array.from({ length: 101 }, (_, at) => `d${at}.test`);
    expect((await find(domains)).status).toBe(400);
  });
});
