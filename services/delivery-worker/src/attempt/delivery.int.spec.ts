import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { MxResolver } from '../mx/mx-resolver.js';
import { headerOf, MailHost } from '../testing/mail-host.js';
import type { NameServer } from '../testing/name-server.js';
import { startNameServer, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let dns: NameServer;
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  dns = await startNameServer();
  host = await MailHost.start();
  const settings = { retryDelaysSeconds: ['0.1', '0.1', '0.1'] };
  worker = await startWorker({ databaseUrl: database.url, port: host.port, settings, dns });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
  await dns?.stop();
});
afterEach(() => {
  host.manners = {};
  host.messages.length = 0;
});

const publishedOf = (id: string) => worker.published.filter((one) => one.message_id === id);
describe('an accepted message', () => {
  it('goes to each recipient in a transaction of its own, signed, with a return path that names the message', async () => {
    const ids = await worker.accept({ to: ['ann@mail.test', 'bob@other.test'] });
    const published = await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    expect(host.recipients.sort()).toEqual(['ann@mail.test', 'bob@other.test']);
    for (const message of host.messages) {
      expect(headerOf(message, 'Message-ID')).toBe(`<${ids[0]}@shop.test>`);
      expect(headerOf(message, 'DKIM-Signature')).toContain('d=shop.test; s=pm1');
      expect(message.sender).toMatch(/^b\+[a-z0-9]+@rp\.shop\.test$/);
    }
    expect(new Set(host.messages.map(({ sender }) => sender)).size).toBe(2);
    expect(published[0]).toMatchObject({
      attempt: 1,
      sandbox: false,
      next_attempt_at: null,
      reply: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
      uncertain: false,
      remote_host: 'mx.mail.test',
    });
    expect(published[0]!.first_attempt_at).toBe(published[0]!.started_at);
    expect(await worker.deliveries()).toEqual([]);
    expect(publishedOf(ids[0]!)).toHaveLength(1);
  });

  it('bounces at once when it is refused for good', async () => {
    host.manners = { reply: (line) => (line.startsWith('RCPT') ? '550 5.1.1 no such user' : undefined) };
    const [id] = await worker.accept();
    expect(await worker.outcome(id!, 'bounced')).toMatchObject({
      attempt: 1,
      reply: { smtp_code: 550, classification: 'InvalidRecipient', command: 'RCPT TO' },
    });
    expect(await worker.deliveries()).toEqual([]);
  });

  it('without any reachable host bounces without a connection', async () => {
    const [id] = await worker.accept({ to: ['ann@nowhere.invalid'] });
    expect(await worker.outcome(id!, 'bounced')).toMatchObject({
      reply: { smtp_code: 550, classification: 'BadDomain' },
      remote_host: null,
    });
    expect(host.messages).toEqual([]);
  });
});

describe('a message that is put off', () => {
  it('is retried under the same Message-ID until it is taken', async () => {
    host.manners = { accept: () => (host.messages.length < 3 ? '451 4.3.0 later' : undefined) };
    const [id] = await worker.accept();
    await worker.outcome(id!, 'delivered');
    expect(publishedOf(id!).map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['deferred', 1],
      ['deferred', 2],
      ['delivered', 3],
    ]);
    const [first] = publishedOf(id!);
    expect(
      new Set(publishedOf(id!).map(({ first_attempt_at }) => first_attempt_at)).size,
    ).toBeLessThanOrEqual(2);
    expect(Date.parse(first!.next_attempt_at!)).toBeGreaterThan(Date.parse(first!.finished_at));
    expect(new Set(host.messages.map((message) => headerOf(message, 'Message-ID'))).size).toBe(1);
  });

  it('fails when its retries are used up', async () => {
    host.manners = { accept: () => '451 4.3.0 later' };
    const [id] = await worker.accept();
    const failed = await worker.outcome(id!, 'failed');
    expect(failed).toMatchObject({
      ...{ attempt: 4, next_attempt_at: null, classification: 'MessageExpired', give_up: 'attempts' },
      reply: { smtp_code: 451, classification: 'TransientFailure' },
    });
    expect(host.messages).toHaveLength(4);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('whose answer to the final dot was lost is uncertain, and goes out again', async () => {
    host.manners = { accept: () => (host.messages.length < 2 ? 'drop' : undefined) };
    const [id] = await worker.accept();
    await worker.outcome(id!, 'delivered');
    expect(publishedOf(id!).map(({ outcome, uncertain }) => [outcome, uncertain])).toEqual([
      ['deferred', true],
      ['delivered', false],
    ]);
    expect(new Set(host.messages.map((message) => headerOf(message, 'Message-ID'))).size).toBe(1);
  });
});

describe('a message that meets no name server of ours', () => {
  it('waits for one without an attempt', async () => {
    await dns.stop();
    const [id] = await worker.accept({ to: ['ann@never-looked-up.test'] });
    const reasons = async () => (await worker.deliveries()).map(({ state, reason }) => [state, reason]);
    const reason = expect.stringMatching(/never-looked-up\.test: no name server answers$/);
    await expect.poll(reasons).toEqual([['waiting', reason]]);
    dns = await startNameServer(dns.port);
    // when it is due, the cached failure has expired
    const resolver = worker.service.get(MxResolver);
    const { now } = resolver;
    vi.spyOn(resolver, 'now').mockImplementation(() => now() + 6_000);
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 1 });
    expect(publishedOf(id!)).toHaveLength(1);
  });
});

describe('time', () => {
  it('does not let a scheduled message leave early', async () => {
    const firstAttempt = new Date(Date.now() + 900);
    const [id] = await worker.accept({ firstAttempt });
    const published = await worker.outcome(id!, 'delivered');
    expect(Date.parse(published.started_at!)).toBeGreaterThanOrEqual(firstAttempt.getTime());
  });

  it('ends a message that has expired without an attempt', async () => {
    // longer ago than the clock of the worker may differ from ours
    const [id] = await worker.accept({ expires: new Date(Date.now() - 60_000) });
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      attempt: 0,
      started_at: null,
      first_attempt_at: null,
      reply: null,
      classification: 'MessageExpired',
      give_up: 'expires',
    });
    expect(host.messages).toEqual([]);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('ends a message whose 24 hours are over without another attempt', async () => {
    host.manners = { accept: () => '451 4.3.0 later' };
    const event = await worker.message({ firstAttempt: new Date(Date.now() + 60_000) });
    await worker.bus.publish([event]);
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    await worker.database.query(
      `update deliveries set attempts = 3, first_attempt_at = now() - interval '24 hours 1 second'`,
    );
    await worker.makeDue();
    const failed = await worker.outcome(event.data.send_request_id, 'failed');
    expect(failed).toMatchObject({ attempt: 3, reply: null, started_at: null });
    expect(host.messages).toEqual([]);
  });
});

describe('a sandbox send', () => {
  it.each([
    ['deliver', 'delivered', 1, 250],
    ['bounce', 'bounced', 1, 550],
    ['defer', 'deferred', 1, 452],
    ['fail', 'failed', 0, undefined],
    ['suppress', 'suppressed', 0, undefined],
  ] as const)(
    'that asks for %s is %s, is final, and contacts no host',
    async (sandbox, outcome, attempt, code) => {
      const [id] = await worker.accept({ sandbox });
      const published = await worker.outcome(id!, outcome);
      expect(published).toMatchObject({ sandbox: true, attempt, next_attempt_at: null, remote_host: null });
      expect(published.reply?.smtp_code).toBe(code);
      expect(await worker.deliveries()).toEqual([]);
      expect(host.messages).toEqual([]);
      expect(publishedOf(id!)).toHaveLength(1);
    },
  );

  it('waits for its first attempt like any other', async () => {
    const firstAttempt = new Date(Date.now() + 600);
    const [id] = await worker.accept({ sandbox: 'deliver', firstAttempt });
    const published = await worker.outcome(id!, 'delivered');
    expect(Date.parse(published.finished_at)).toBeGreaterThanOrEqual(firstAttempt.getTime());
  });

  it('must be a message that could be made', async () => {
    const [id] = await worker.accept({ sandbox: 'deliver', contentGone: true });
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      reply: { response: 'the content of the message is gone' },
    });
  });
});
