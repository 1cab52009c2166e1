import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { SuppressionsChanged, type SuppressionChange } from '@postmesh/messages-contract';
import { deliver } from '@postmesh/service-testing';
import { testDatabaseWithClock } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { ACCOUNT, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

// proven again: a suppression that comes between claim and attempt

const database = testDatabaseWithClock();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(() => {
  host.manners = {};
  host.messages.length = 0;
});

let revision = 0;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A change of a suppression of `ACCOUNT`, as messages publishes it. */
const change = (recipient: string, more: Partial<SuppressionChange> = {}, account_id = ACCOUNT) =>
  SuppressionsChanged.make(
    {
      account_id,
      changes: [
        {
          ...SuppressionsChanged.examples[0]!.changes[0]!,
          recipient,
          expires_at: inAnHour(),
          revision: (revision += 1),
          ...more,
        },
      ],
    },
    { account_id },
  );
type Change = ReturnType<typeof change>;
const suppress = (...changes: Change[]) => deliver(worker.service, changes);
const publishedOf = (id: string) => worker.published.filter((one) => one.message_id === id);
const later = () => new Date(Date.now() + 3_600_000);

/** A message that waits for its first attempt. */
async function waiting(email: string, more: { accountId?: string } = {}): Promise<string> {
  const event = await worker.message({ to: [email], firstAttempt: later(), ...more });
  await deliver(worker.service, [event]);
  return event.data.recipients[0]!.id;
}

describe('§14.3 rule 1: a suppressed recipient', () => {
  it('is not tried: the message ends as suppressed, and no server is asked', async () => {
    const id = await waiting('gone@mail.test');
    await suppress(change('gone@mail.test'));
    await worker.makeDue();
    expect(await worker.outcome(id, 'suppressed')).toMatchObject({
      ...{ attempt: 0, started_at: null, first_attempt_at: null, next_attempt_at: null, sandbox: false },
      ...{ reply: null, classification: null, remote_host: null, uncertain: false, give_up: null },
    });
    expect(host.messages).toEqual([]);
    expect(await worker.deliveries()).toEqual([]);
    expect(publishedOf(id)).toHaveLength(1);
  });

  it('gets no second attempt when the suppression comes after the first, which stays recorded', async () => {
    host.manners = { accept: () => '451 4.3.0 later' };
    const [id] = await worker.accept({ to: ['retried@mail.test'] });
    const first = await worker.outcome(id!, 'deferred');
    await suppress(change('retried@mail.test'));
    host.manners = {};
    await worker.makeDue();
    const ended = await worker.outcome(id!, 'suppressed');
    expect(ended).toMatchObject({ attempt: 1, reply: null, started_at: null });
    expect(ended.first_attempt_at! <= first.started_at!).toBe(true);
    expect(host.messages).toHaveLength(1);
  });

  it('is known to the intake that begins the attempt in its own commit', async () => {
    await suppress(change('direct@mail.test'));
    for (let nth = 0; nth < 5; nth++) {
      const [id] = await worker.accept({ to: ['direct@mail.test'] });
      await worker.outcome(id!, 'suppressed');
    }
    expect(host.messages).toEqual([]);
  });

  it('is found with any letter case of the address in the message', async () => {
    await suppress(change('mixed.case@mail.test'));
    const [id] = await worker.accept({ to: ['Mixed.Case@mail.test'] });
    await worker.outcome(id!, 'suppressed');
  });

  it('blocks no other mail: another address, another sending domain, another account', async () => {
    const other = newId();
    await suppress(
      change('one@mail.test'),
      change('two@mail.test', { domain: 'parent.test' }),
      change('two@mail.test', { domain: 'news.shop.test' }),
      change('two@mail.test', {}, other),
    );
    const ids = await worker.accept({ to: ['one@mail.test', 'two@mail.test', 'one@other.test'] });
    const [theirs] = await worker.accept({ to: ['one@mail.test'], accountId: other });
    await Promise.all([
      worker.outcome(ids[0]!, 'suppressed'),
      worker.outcome(ids[1]!, 'delivered'),
      worker.outcome(ids[2]!, 'delivered'),
      worker.outcome(theirs!, 'delivered'),
    ]);
    expect(host.recipients.sort()).toEqual(['one@mail.test', 'one@other.test', 'two@mail.test']);
  });

  it('and removed again gets the message', async () => {
    const id = await waiting('back@mail.test');
    await suppress(change('back@mail.test'), change('back@mail.test', { kind: 'removed' }));
    await worker.makeDue();
    await worker.outcome(id, 'delivered');
  });

  it('of a sandbox send is not looked up', async () => {
    await suppress(change('sandboxed@mail.test'));
    const [id] = await worker.accept({ to: ['sandboxed@mail.test'], sandbox: 'deliver' });
    await worker.outcome(id!, 'delivered');
  });

  it('at acceptance has no delivery at all, the others of its send request have', async () => {
    const event = await worker.message({ to: ['never@mail.test', 'sent@mail.test'] });
    Object.assign(event.data.recipients[0]!, { suppressed: true });
    await worker.bus.publish([event]);
    await worker.outcome(event.data.recipients[1]!.id, 'delivered');
    expect(host.recipients).toEqual(['sent@mail.test']);
    expect(publishedOf(event.data.recipients[0]!.id)).toEqual([]);
  });
});

describe('§14.3 rule 2: a suppression that has expired', () => {
  it('blocks no more', async () => {
    const id = await waiting('short@mail.test');
    await suppress(change('short@mail.test', { expires_at: new Date(Date.now() + 150).toISOString() }));
    await database.advance(200);
    await worker.makeDue();
    await worker.outcome(id, 'delivered');
  });
});

describe('events that come twice or late', () => {
  it.each([
    ['a removal before what it removed', [2, 'removed'], [1, 'created'], 'delivered'],
    ['a removal that is older than the new row', [2, 'created'], [1, 'removed'], 'suppressed'],
    ['the newer one last', [1, 'removed'], [2, 'created'], 'suppressed'],
  ] as const)('%s: the newest counts', async (name, first, second, outcome) => {
    const recipient = `${name.replaceAll(' ', '-')}@mail.test`;
    const [one, two] = [first, second].map(([nth, kind]) =>
      change(recipient, { kind, revision: 1_000 + nth }),
    );
    await suppress(one!);
    await suppress(two!, one!);
    await suppress(two!);
    const [id] = await worker.accept({ to: [recipient] });
    await worker.outcome(id!, outcome);
  });
});
