import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DomainChanged } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { headerOf, MailHost } from '../testing/mail-host.js';
import {
  ACCOUNT,
  DOMAIN_ID,
  signingKey,
  startWorker,
  type KeyAnswer,
  type WorkerUnderTest,
} from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;
let domains: KeyAnswer = signingKey;
let asked = 0;

beforeAll(async () => {
  host = await MailHost.start();
  const reply: KeyAnswer = (id) => {
    asked += 1;
    return domains(id);
  };
  worker = await startWorker({ databaseUrl: database.url, port: host.port, domains: reply });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(() => {
  domains = signingKey;
  host.messages.length = 0;
});

const gone: KeyAnswer = () => ({ status: 404, body: { message: 'domain not found' } });
const away: KeyAnswer = () => ({ status: 503, body: { message: 'service temporarily unavailable' } });
const tellChange = (domain_id: string) =>
  deliver(worker.service, [
    DomainChanged.make(
      { ...DomainChanged.examples[0]!, domain_id, domain: 'shop.test', account_id: ACCOUNT },
      { account_id: ACCOUNT },
    ),
  ]);
const waitsFor = async (id: string, reason: RegExp) => {
  const row = async () => (await worker.deliveries()).find((one) => one.id === id);
  await expect.poll(async () => (await row())?.reason).toMatch(reason);
  return (await row())!;
};

describe('a message whose domain was deleted', () => {
  it('fails with the reason', async () => {
    domains = gone;
    const [id] = await worker.accept({ domainId: newId() });
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      attempt: 0,
      first_attempt_at: null,
      classification: 'Uncategorized',
      give_up: null,
      reply: {
        smtp_code: 0,
        response: 'the sending domain shop.test was deleted',
        classification: 'Uncategorized',
      },
    });
    expect(host.messages).toEqual([]);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('costs one question for all messages of the domain', async () => {
    domains = gone;
    const domainId = newId();
    const before = asked;
    for (let nth = 0; nth < 5; nth++) {
      const [id] = await worker.accept({ domainId });
      await worker.outcome(id!, 'failed');
    }
    expect(asked - before).toBe(1);
  });

  it('fails at once when the deletion was announced, though its key was cached', async () => {
    const domainId = newId();
    const [first] = await worker.accept({ domainId });
    await worker.outcome(first!, 'delivered');
    domains = gone;
    await tellChange(domainId);
    const [second] = await worker.accept({ domainId });
    await worker.outcome(second!, 'failed');
  });
});

describe('a message while the domains service is unavailable', () => {
  it('waits in silence, uses up no attempt and no time, and leaves when it is back', async () => {
    domains = away;
    const begun = Date.now();
    const [id] = await worker.accept({ domainId: newId() });
    const waiting = await waitsFor(id!, /^domains responded 503/);
    expect(waiting).toMatchObject({ state: 'waiting', attempts: 0, first_attempt_at: null });
    const waitsMs = waiting.due_at.getTime() - begun;
    expect(waitsMs).toBeGreaterThan(13_000);
    expect(waitsMs).toBeLessThan(25_000);
    expect(worker.published.filter(({ message_id }) => message_id === id)).toEqual([]);
    domains = signingKey;
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 1 });
  });

  it('still fails when it expires', async () => {
    domains = away;
    const expires = new Date(Date.now() + 700);
    const [id] = await worker.accept({ domainId: newId(), expires });
    const failed = await worker.outcome(id!, 'failed');
    expect(Date.parse(failed.finished_at)).toBeGreaterThanOrEqual(expires.getTime());
    expect(failed).toMatchObject({ attempt: 0, reply: null });
  });
});

describe('a key', () => {
  it('that was changed signs the next message', async () => {
    const [first] = await worker.accept();
    await worker.outcome(first!, 'delivered');
    const { body } = signingKey(DOMAIN_ID);
    domains = () => ({ status: 200, body: { ...(body as object), key_id: 'key-2', selector: 'pm2' } });
    await tellChange(DOMAIN_ID);
    const [second] = await worker.accept();
    await worker.outcome(second!, 'delivered');
    const selectors = host.messages.map(
      (message) => / s=(\w+);/.exec(headerOf(message, 'DKIM-Signature')!)?.[1],
    );
    expect(selectors).toEqual(['pm1', 'pm2']);
  });

  it('that is invalid holds the message with that reason', async () => {
    domains = () => ({ status: 200, body: { key_id: 'x', domain: 'shop.test' } });
    const [id] = await worker.accept({ domainId: newId() });
    const waiting = await waitsFor(id!, /selector/);
    expect(waiting.attempts).toBe(0);
    // a failure that is no outage of another service ends with the message's window
    expect(waiting.first_attempt_at).not.toBeNull();
    await worker.database.query('delete from deliveries where id = $1', [id]);
  });
});

describe('content', () => {
  it('that is gone fails the message', async () => {
    const [id] = await worker.accept({ contentGone: true });
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      attempt: 0,
      reply: { response: 'the content of the message is gone' },
    });
  });

  it('that is broken fails the message', async () => {
    const event = await worker.message({ contentGone: true });
    await worker.context.blobs.put([{ id: event.data.content_id, bytes: Buffer.from('nonsense') }]);
    await worker.bus.publish([event]);
    expect(await worker.outcome(event.data.send_request_id, 'failed')).toMatchObject({
      reply: { response: 'the content of the message is broken' },
    });
  });
});
