import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { freshWorlds, type FreshWorld } from '../testing/fresh-world.js';
import { a, mx, NameServer } from '../testing/name-server.js';
import type { Peer } from '../testing/scripted-server.js';
import { ACCOUNT, type WorkerParts, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { recordEvents } from '@postmesh/service-testing';
import { HeldMail } from '../account-waits/held-mail.js';
import { SlowMailNotices } from '../account-waits/slow-mail-notices.js';
import { PruneShaping } from './prune-shaping.js';
import { ShapingChanges } from './shaping-changes.js';
import { ShapingClock } from './shaping-clock.js';
import { ShapingLimits } from './shaping-limits.js';
import { ShapingSync } from './shaping-sync.js';

const world = freshWorlds();
const MINUTE = 60_000;

/**
 * `<n>.google.test` is Google's, `<n>.one.test` has one host for all of them: both resolve to the host of the world.
 */
const startZone = () =>
  NameServer.start((name, type) => {
    const isHost = name === 'mx.google.com' || name === 'mx.one.test';
    if (isHost) return type === 'A' ? [a(name, '127.0.0.1')] : [];
    if (!name.endsWith('.test')) return 'NXDOMAIN';
    const exchange = name.endsWith('.google.test') ? 'mx.google.com' : 'mx.one.test';
    return type === 'MX' ? [mx(name, exchange, 10)] : [];
  });

/** Workers with the limits of the provider table, and a clock that the test moves. */
class Shaped {
  skippedMs = 0;
  constructor(
    readonly fresh: FreshWorld,
    private readonly dns: NameServer,
  ) {}

  async worker(parts: Partial<WorkerParts> = {}): Promise<WorkerUnderTest> {
    const { settings, ...others } = parts;
    const worker = await this.fresh.start({
      dns: this.dns,
      ...others,
      settings: { shapingFile: undefined, ...settings },
    });
    worker.service.get(ShapingClock).use(() => Date.now() + this.skippedMs);
    return worker;
  }

  /** Runs the exchange that each worker makes every five seconds. */
  async sync(...workers: WorkerUnderTest[]): Promise<void> {
    for (const { service } of workers) {
      await service.get(ShapingChanges).settled();
      await service.get(ShapingSync).sync();
      await service.get(ShapingChanges).settled();
    }
  }
}

let shaped: Shaped;
beforeEach(async () => {
  const [fresh, dns] = await Promise.all([world(), startZone()]);
  fresh.closing.push(() => dns.stop());
  shaped = new Shaped(fresh, dns);
});

const accept = async (worker: WorkerUnderTest, recipients: readonly string[]) => {
  const messages = await Promise.all(recipients.map((email) => worker.message({ to: [email] })));
  await worker.bus.publish(messages);
  return messages.map(({ data }) => data.recipients[0]!.id);
};
const recipients = (count: number, domain: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => `r${nth}@${domain(nth)}`);
const outcomes = (worker: WorkerUnderTest, outcome: string) =>
  worker.published.filter((one) => one.outcome === outcome);
const states = (worker: WorkerUnderTest): Promise<Record<string, unknown>[]> =>
  worker.database.query('select * from shaping_state order by group_key');

/** Counts messages that are with the host at once, and holds each until it is released. */
class Gate {
  most = 0;
  private readonly waiting: ((reply: string | undefined) => void)[] = [];
  hold = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      this.waiting.push(resolve);
      this.most = Math.max(this.most, this.waiting.length);
    });
  get count() {
    return this.waiting.length;
  }
  open(reply?: string): void {
    for (const resolve of this.waiting.splice(0)) resolve(reply);
  }
}

describe('domains that share their hosts', () => {
  it('20 of them and two workers share one limit', async () => {
    const workers = [await shaped.worker(), await shaped.worker()];
    const [one, two] = workers as [WorkerUnderTest, WorkerUnderTest];
    await shaped.sync(one, two, one);
    const { host } = shaped.fresh;
    let [now, most] = [0, 0];
    host.manners = {
      accept: async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 10));
        now--;
        return undefined;
      },
    };
    await accept(
      one,
      recipients(100, (nth) => `d${nth % 20}.one.test`),
    );
    await one.until(() => outcomes(one, 'delivered').length === 100);
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
    expect(host.messages).toHaveLength(100);
  });
});

describe('a burst of replies to slow down', () => {
  it('is one cut, for all workers', async () => {
    const [one, two] = [await shaped.worker(), await shaped.worker()];
    await shaped.sync(one, two, one);
    const gate = new Gate();
    shaped.fresh.host.manners = { accept: gate.hold };
    await accept(
      one,
      recipients(10, () => 'd.one.test'),
    );
    await expect.poll(() => gate.count).toBeGreaterThan(1);
    const burst = gate.count;
    gate.open('450 4.7.1 too fast for us');
    await expect.poll(() => outcomes(one, 'deferred').length).toBeGreaterThanOrEqual(burst);
    shaped.fresh.host.manners = {};
    gate.open();
    await one.until(() => outcomes(one, 'delivered').length >= 7);
    await shaped.sync(one, two);
    expect(await states(one)).toMatchObject([{ connections: 1, version: '1', suspended_until: null }]);
  });
});

describe('a change of two workers at once', () => {
  it('is made once: the second decides on the state that the first has written', async () => {
    const workers = [await shaped.worker(), await shaped.worker()];
    const outcome = {
      ...{ kind: 'deferred' as const, smtpCode: 450, enhancedStatusCode: '4.7.1', response: 'too fast' },
      dataSent: 'no' as const,
    };
    for (const { service } of workers) {
      const reaction = service.get(ShapingLimits).met({ groupKey: 'p:yahoo', source: '', outcome });
      expect(reaction.stopsWalk).toBe(true);
    }
    await Promise.all(workers.map(({ service }) => service.get(ShapingChanges).settled()));
    expect(await states(workers[0]!)).toMatchObject([{ group_key: 'p:yahoo', version: '1', connections: 2 }]);
    await shaped.sync(...workers, ...workers);
    const shares = workers.map(({ service }) => service.get(ShapingLimits).connectionsOf('p:yahoo', ''));
    expect(shares).toEqual([1, 1]);
  });
});

describe('a change that cannot be written', () => {
  it('is acted on all the same, and written later', async () => {
    const worker = await shaped.worker();
    const limits = worker.service.get(ShapingLimits);
    await worker.database.query('alter table shaping_state rename to shaping_state_away');
    const outcome = {
      ...{ kind: 'deferred' as const, smtpCode: 421, enhancedStatusCode: '4.7.28' },
      response: 'unusual rate of mail from your IP address',
    };
    limits.met({ groupKey: 'p:google', source: '', outcome });
    await worker.service.get(ShapingChanges).settled();
    expect(limits.of('p:google')).toBe(0);
    await worker.database.query('alter table shaping_state_away rename to shaping_state');
    await shaped.sync(worker);
    expect(await states(worker)).toMatchObject([{ group_key: 'p:google', version: '1', strikes: 1 }]);
    expect(limits.of('p:google')).toBe(0);
  });
});

describe('a suspended group', () => {
  const SLOW = '421 4.7.28 Our system has detected an unusual rate of mail from your IP address';
  const suspend = async (worker: WorkerUnderTest) => {
    shaped.fresh.host.manners = { accept: () => SLOW };
    const [first] = await accept(worker, ['ann@a.google.test']);
    await worker.outcome(first!, 'deferred');
    await shaped.sync(worker);
    const [state] = await states(worker);
    expect(state).toMatchObject({ group_key: 'p:google', strikes: 1 });
    return new Date(state!['suspended_until'] as string);
  };

  it('asks no host: its messages wait with a reason, uncounted', async () => {
    const worker = await shaped.worker();
    const until = await suspend(worker);
    const ids = await accept(
      worker,
      recipients(5, (nth) => `d${nth}.google.test`),
    );
    await expect.poll(async () => (await worker.deliveries()).length).toBe(6);
    const reason = `Google slowed down us (421 4.7.28, IP address): nothing before ${until.toISOString().slice(11, 16)} UTC`;
    for (const id of ids) {
      await expect
        .poll(async () => (await worker.internal('GET', `/operator/deliveries/${id}`)).body)
        .toMatchObject({ waiting_for: reason, waiting_until: until.toISOString(), attempts: 0 });
    }
    expect(shaped.fresh.host.messages).toHaveLength(1);
    expect(worker.published).toHaveLength(1);
    const { body } = await worker.internal('GET', '/operator/queue');
    expect(body.groups).toMatchObject([
      {
        group: 'p:google',
        provider: 'google',
        suspended_until: until.toISOString(),
        reply: expect.stringContaining('4.7.28'),
      },
    ]);
    const waits = async (account: string) =>
      (await worker.internal('GET', `/internal/accounts/${account}/waits`)).body.waits;
    // the one that has its own time, five minutes later, waits for the provider, too
    expect(await waits(ACCOUNT)).toEqual([
      {
        kind: 'suspended',
        by: 'Google',
        destinations: ['a.google.test', 'd0.google.test', 'd1.google.test'],
        messages: 6,
        share: 1,
        since: expect.any(String),
        until: until.toISOString(),
        per_second: null,
        reason,
      },
    ]);
    expect(await waits(newId())).toEqual([]);
  });

  it('and one that takes few messages a second are reported to the accounts whose messages wait', async () => {
    const worker = await shaped.worker();
    const gate = new Gate();
    shaped.fresh.host.manners = { accept: gate.hold };
    await accept(worker, ['ann@a.google.test']);
    await expect.poll(() => gate.count).toBe(1);
    const cause = { code: 421, enhanced: '4.7.28', text: 'slow', at: Date.now(), did: 'slowed down' };
    await worker.database.query(
      `insert into shaping_state (group_key, source, version, connections, rate, window_from, changed_at, cause)
       values ('p:google', '', 1, 1, 0.1, now(), now(), $1)`,
      [cause],
    );
    await shaped.sync(worker);
    await accept(
      worker,
      recipients(40, (nth) => `d${nth}.google.test`),
    );
    // the mail hosts of their domains are looked up first
    const waits = async () =>
      (await worker.internal('GET', `/internal/accounts/${ACCOUNT}/waits`)).body.waits;
    await expect.poll(waits).toMatchObject([
      {
        kind: 'slowed',
        by: 'Google',
        since: new Date(cause.at).toISOString(),
        until: null,
        per_second: 0.1,
        reason: 'Google takes 0.1 messages a second from us (421 4.7.28)',
      },
    ]);
    const reports = await recordEvents(worker.bus, { streams: ['accounts'], pick: (event) => event });
    const notice = () => worker.service.get(SlowMailNotices).notice(new AbortController().signal);
    await notice();
    shaped.skippedMs = 31 * MINUTE;
    await notice();
    // once a day at most
    await notice();
    await worker.database.query(`update slow_notices set noticed_at = noticed_at - interval '1 day'`);
    await notice();
    const report = {
      type: 'mail-slowed',
      data: { account_id: ACCOUNT, waits: [{ by: 'Google', share: expect.closeTo(1, 1), until: null }] },
    };
    await reports.until(() => reports.events.length >= 2);
    expect(reports.events).toMatchObject([report, report]);
    // a block of the account alone is looked for, too
    const queued = () =>
      worker.service.get(HeldMail).accountsAfter('00000000-0000-0000-0000-000000000000', 10);
    await worker.database.query('update shaping_state set rate = null, suspended_until = null');
    expect(await queued()).toEqual([]);
    await worker.database.query(
      `insert into suspensions (group_key, source, scope, subject, suspended_until, strikes, cause)
       values ('p:google', '', 'account', $1, now() + interval '1 day', 1, $2)`,
      [ACCOUNT, cause],
    );
    expect(await queued()).toEqual([ACCOUNT]);
    // a worker waits for its attempts when it stops
    shaped.fresh.host.manners = {};
    gate.open();
  });

  it('is probed by one message when its time is over, and recovers automatically', async () => {
    const worker = await shaped.worker();
    await suspend(worker);
    const gate = new Gate();
    shaped.fresh.host.manners = { accept: gate.hold };
    const ids = await accept(
      worker,
      recipients(12, (nth) => `d${nth}.google.test`),
    );
    await expect.poll(async () => (await worker.deliveries()).length).toBe(13);
    shaped.skippedMs += 10 * MINUTE;
    await worker.makeDue();
    await expect.poll(() => gate.count).toBe(1);
    await shaped.sync(worker);
    await worker.makeDue();
    expect(gate.most).toBe(1);
    shaped.fresh.host.manners = {};
    gate.open();
    await expect
      .poll(async () => {
        await worker.makeDue();
        return ids.filter((id) => outcomes(worker, 'delivered').some((one) => one.message_id === id)).length;
      })
      .toBe(12);
    await shaped.sync(worker);
    expect(await states(worker)).toMatchObject([{ suspended_until: null, half: 2 }]);
  });

  it('stays suspended when every worker died: the next one asks no host', async () => {
    const first = await shaped.worker();
    await suspend(first);
    // the state after kill -9: the worker's own rows stay, too
    await first.database
      .query(`insert into shaping_use (group_key, source, worker, version, connections, peak, results, rate, told_at)
      values ('', '', '${newId()}', 0, 0, 0, 0, 0, now() - interval '20 seconds')`);
    await first.stop();
    const next = await shaped.worker();
    const [id] = await accept(next, ['bob@b.google.test']);
    await expect
      .poll(async () => (await next.internal('GET', `/operator/deliveries/${id}`)).body.waiting_for)
      .toMatch(/^Google slowed down us/);
    expect(shaped.fresh.host.messages).toHaveLength(1);
  });

  it('can be resumed by an operator: one message probes at once', async () => {
    const worker = await shaped.worker();
    await suspend(worker);
    shaped.fresh.host.manners = {};
    const [id] = await accept(worker, ['bob@b.google.test']);
    await expect.poll(async () => (await worker.deliveries()).length).toBe(2);
    const { status, body } = await worker.internal('POST', '/operator/queue/groups/p:google/resume');
    expect([status, body]).toEqual([200, { group: 'p:google', resumed: 1 }]);
    await expect
      .poll(async () => {
        await worker.makeDue();
        return outcomes(worker, 'delivered').some(({ message_id }) => message_id === id);
      })
      .toBe(true);
    const again = await worker.internal('POST', '/operator/queue/groups/p:google/resume');
    expect(again.body).toEqual({ group: 'p:google', resumed: 0 });
  });

  it('ends no wait beyond the window of a message', async () => {
    const worker = await shaped.worker();
    await suspend(worker);
    const [id] = await worker.accept({
      to: ['bob@b.google.test'],
      expires: new Date(Date.now() + 3_600_000),
    });
    const back = `interval '1 hour 1 second'`;
    await expect.poll(() => worker.deliveries()).toHaveLength(2);
    await worker.database.query(
      `update deliveries set expires = expires - ${back}, ends_at = ends_at - ${back} where id = $1`,
      [id],
    );
    worker.service.get(DeliveryQueue).queue.wake();
    expect(await worker.outcome(id!, 'failed')).toMatchObject({ classification: 'MessageExpired' });
    expect(shaped.fresh.host.messages).toHaveLength(1);
  });

  it('of one sending domain leaves the others alone', async () => {
    const worker = await shaped.worker();
    shaped.fresh.host.manners = { accept: () => '421 4.7.28 unusual rate of mail from your SPF domain' };
    const [first] = await accept(worker, ['ann@a.google.test']);
    await worker.outcome(first!, 'deferred');
    shaped.fresh.host.manners = {};
    const [same] = await accept(worker, ['bob@a.google.test']);
    const other = await worker.message({ to: ['eve@a.google.test'] });
    await worker.bus.publish([{ ...other, data: { ...other.data, domain: 'other.test' } }]);
    await worker.outcome(other.data.recipients[0]!.id, 'delivered');
    await expect
      .poll(async () => (await worker.internal('GET', `/operator/deliveries/${same}`)).body.waiting_for)
      .toMatch(/^Google slowed down shop\.test \(421 4\.7\.28, sending domain\): nothing before/);
    expect(await states(worker)).toEqual([]);
  });
});

describe('messages per connection', () => {
  it('are found without a cut, and cost no attempt', async () => {
    const worker = await shaped.worker();
    const taken = new Map<Peer, number>();
    shaped.fresh.host.manners = {
      reply: (line, peer) => {
        if (!line.startsWith('MAIL')) return undefined;
        const count = (taken.get(peer) ?? 0) + 1;
        taken.set(peer, count);
        return count > 4 ? '421 4.4.2 that is enough for one connection' : undefined;
      },
    };
    for (let round = 0; round < 6; round++) {
      await accept(
        worker,
        recipients(40, () => `d${round}.one.test`),
      );
      await worker.until(() => worker.published.length === 40 * (round + 1));
    }
    expect(worker.published.every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(
      true,
    );
    await shaped.sync(worker);
    expect(await states(worker)).toMatchObject([{ per_connection: 3, connections: 3, rate: null }]);
    taken.clear();
    await accept(
      worker,
      recipients(30, () => 'd.one.test'),
    );
    await worker.until(() => worker.published.length === 270);
    expect(Math.max(...taken.values())).toBeLessThanOrEqual(4);
  });
});

describe('a reply that speaks of messages per connection', () => {
  it('teaches them at once, and the message goes over another connection', async () => {
    const worker = await shaped.worker();
    const taken = new Map<Peer, number>();
    shaped.fresh.host.manners = {
      reply: (line, peer) => {
        if (!line.startsWith('MAIL')) return undefined;
        const count = (taken.get(peer) ?? 0) + 1;
        taken.set(peer, count);
        return count > 6 ? '452 4.3.2 too many messages in this session' : undefined;
      },
    };
    await accept(
      worker,
      recipients(60, () => 'd.one.test'),
    );
    await worker.until(() => worker.published.length === 60);
    expect(worker.published.every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(
      true,
    );
    await shaped.sync(worker);
    expect(await states(worker)).toMatchObject([{ per_connection: 5, connections: 3, rate: null }]);
  });
});

describe('a learnt limit', () => {
  it('does not exist for local-internet, whose replies are selected by addresses', async () => {
    const worker = await shaped.worker();
    const outcome = {
      ...{ kind: 'rejected' as const, smtpCode: 554, enhancedStatusCode: '5.7.1' },
      response: 'blocked using zen.spamhaus.org',
    };
    const limits = worker.service.get(ShapingLimits);
    for (let nth = 0; nth < 5; nth++) limits.met({ groupKey: 'p:local-internet', source: '', outcome });
    expect(limits.waitOf('p:local-internet', '')).toBeUndefined();
    for (let nth = 0; nth < 3; nth++) limits.met({ groupKey: 'm:1', source: '', outcome });
    expect(limits.waitOf('m:1', '')?.reason).toMatch(
      /^the mail host slowed down us \(554 5\.7\.1, IP address\)/,
    );
  });

  it('is removed when nothing has changed for two weeks, with the use of dead workers', async () => {
    const worker = await shaped.worker();
    await worker.database
      .query(`insert into shaping_state (group_key, source, version, connections, window_from, changed_at)
      values ('m:old', '', 1, 9, now(), now() - interval '14 days 1 hour'), ('m:new', '', 1, 9, now(), now() - interval '13 days')`);
    await worker.database
      .query(`insert into suspensions (group_key, source, scope, subject, suspended_until, strikes, cause)
      values ('m:new', '', 'account', 'old', now() - interval '7 hours', 1, '{}'),
        ('m:new', '', 'account', 'new', now() - interval '5 hours', 1, '{}')`);
    await worker.database
      .query(`insert into shaping_use (group_key, source, worker, version, connections, peak, results, rate, told_at)
      values ('m:old', '', '${newId()}', 0, 0, 0, 0, 0, now() - interval '2 hours')`);
    await worker.service.get(PruneShaping).prune(new AbortController().signal);
    expect(await states(worker)).toMatchObject([{ group_key: 'm:new' }]);
    expect(await worker.database.query('select subject from suspensions')).toEqual([{ subject: 'new' }]);
    expect(await worker.database.query(`select from shaping_use where group_key = 'm:old'`)).toEqual([]);
  });

  it('rises while it is used without a complaint', async () => {
    const worker = await shaped.worker();
    // the first messages end once all connections are in use
    const held: (() => void)[] = [];
    const release = () => held.splice(0).forEach((end) => end());
    let isReached = false;
    shaped.fresh.host.manners = {
      accept: () =>
        new Promise((resolve) => {
          held.push(() => resolve(undefined));
          isReached ||= held.length === 3;
          if (isReached) release();
        }),
    };
    await accept(
      worker,
      recipients(60, () => 'd.one.test'),
    );
    await worker.until(() => outcomes(worker, 'delivered').length === 60);
    shaped.skippedMs += 31_000;
    await shaped.sync(worker);
    expect(await states(worker)).toMatchObject([{ connections: 4, version: '1', cause: null }]);
  });

  it('does not come from texts of our own', async () => {
    const worker = await shaped.worker();
    await shaped.fresh.host.stop();
    const [id] = await accept(worker, ['ann@d.one.test']);
    await worker.outcome(id!, 'deferred');
    await shaped.sync(worker);
    expect(await states(worker)).toEqual([]);
  });

  it('of connections that a host refuses beyond its own limit defers nothing', async () => {
    const worker = await shaped.worker({ settings: { shapingFile: undefined } });
    const { host } = shaped.fresh;
    let live = 0;
    host.manners = {
      reply: (line, peer) => {
        if (!line.startsWith('EHLO')) return undefined;
        if (live >= 2) return '421 4.7.0 too many connections from your address';
        live++;
        peer.socket.on('close', () => live--);
        return undefined;
      },
    };
    const ids = await accept(
      worker,
      recipients(200, (nth) => `d${nth % 20}.one.test`),
    );
    await worker.until(() => worker.published.length >= ids.length);
    const deferred = outcomes(worker, 'deferred').length;
    expect(deferred / 200).toBeLessThan(0.05);
    await shaped.sync(worker);
    expect(await states(worker)).toMatchObject([{ connections: 1, rate: null }]);
  });
});
