import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DomainChanged } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { ACCOUNT, signingKey, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;
/** the domains service's facts about every domain, in addition to its key */
let standing: { dns_valid?: boolean; paused?: boolean } = {};

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({
    databaseUrl: database.url,
    port: host.port,
    domains: (id) => ({ status: 200, body: { ...(signingKey(id).body as object), ...standing } }),
  });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(() => {
  standing = {};
  host.messages.length = 0;
});

const soon = () => new Date(Date.now() + 100);

async function lift(domain_id: string): Promise<void> {
  standing = {};
  const facts = { ...DomainChanged.examples[0]!, domain_id, account_id: ACCOUNT };
  await deliver(worker.service, [DomainChanged.make(facts, { account_id: ACCOUNT })]);
}

describe('a sending domain before the hand-over (spec 2-messages §8 rule 5)', () => {
  it.each([
    ['is paused', { paused: true }, 'sending from the domain shop.test is paused'],
    ['has no valid DNS', { dns_valid: false }, 'the DNS records of the domain shop.test are not valid'],
  ])(
    'that %s defers a scheduled message by the retry schedule, and no server is asked',
    async (_, now, response) => {
      standing = now;
      const domainId = newId();
      const [id] = await worker.accept({ domainId, firstAttempt: soon() });
      const deferred = await worker.outcome(id!, 'deferred');
      expect(deferred).toMatchObject({
        ...{ attempt: 1, give_up: null, remote_host: null, uncertain: false },
        reply: { smtp_code: 0, response, classification: 'TransientFailure' },
      });
      const waitMs = Date.parse(deferred.next_attempt_at!) - Date.parse(deferred.finished_at);
      expect(waitMs).toBeGreaterThan(4 * 60_000);
      expect(waitMs).toBeLessThan(6 * 60_000);
      expect(host.messages).toEqual([]);
      await lift(domainId);
      await worker.makeDue();
      expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 2 });
    },
  );

  it('that stays paused fails the message when its window ends', async () => {
    standing = { paused: true };
    const [id] = await worker.accept({ domainId: newId() });
    await worker.outcome(id!, 'deferred');
    await worker.database.query(
      `update deliveries set first_attempt_at = now() - interval '24 hours 1 second'`,
    );
    await worker.makeDue();
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      ...{ attempt: 1, classification: 'MessageExpired', give_up: 'window' },
    });
    expect(host.messages).toEqual([]);
  });

  it('that has no valid DNS any more delivers messages that were accepted to go out at once', async () => {
    standing = { dns_valid: false };
    const [id] = await worker.accept({ domainId: newId() });
    await worker.outcome(id!, 'delivered');
    expect(host.messages).toHaveLength(1);
  });

  it('that is paused lets the sandbox pass', async () => {
    standing = { paused: true };
    const [id] = await worker.accept({ domainId: newId(), firstAttempt: soon(), sandbox: 'deliver' });
    await worker.outcome(id!, 'delivered');
  });
});
