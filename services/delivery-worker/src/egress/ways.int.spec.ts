import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { recordEvents } from '@postmesh/service-testing';
import { Ways } from '../ways/ways.js';
import { sharedWorld } from '../testing/fresh-world.js';
import { EgressChecks } from './egress-checks.js';
import { PublishAddresses } from './publish-addresses.js';
import { MailHost } from '../testing/mail-host.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';

const shared = sharedWorld(({ start }) => start());

const put = (worker: WorkerUnderTest, path: string, given: object) =>
  worker.internal('PUT', `/operator/egress/${path}`, given);
const remove = (worker: WorkerUnderTest, path: string) =>
  worker.internal('DELETE', `/operator/egress/${path}`);

/** The addresses from which messages came. */
function watch(host: MailHost): string[] {
  const seen: string[] = [];
  host.manners = {
    accept: (_message, peer) => {
      seen.push(String(peer.socket.remoteAddress));
      return undefined;
    },
  };
  return seen;
}

describe('ways out', () => {
  it('are those of the settings at first, and mail of a rule leaves by its pool from the next attempt on', async () => {
    const { host, worker } = shared;
    const first = await worker.internal('GET', '/operator/egress/ways');
    expect(first.body).toEqual({
      pools: [
        {
          ...{ id: 'default', order: 'sources-relays', when_blocked: 'wait', over_budget: 'move' },
          origin: 'settings',
        },
      ],
      ...{ sources: [], relays: [], rules: [], budgets: [] },
    });
    const account = newId();
    expect(await put(worker, 'pools/vip', {})).toMatchObject({ status: 200 });
    const address = '127.0.0.9';
    const made = await put(worker, 'sources/nine', { address, ehlo: 'mta-9.service.test', pool: 'vip' });
    expect(made).toMatchObject({ status: 200 });
    expect(await put(worker, 'rules/vip', { pool: 'vip', account_id: account })).toMatchObject({
      status: 200,
    });
    const seen = watch(host);
    const [other] = await worker.accept();
    expect(await worker.outcome(other!, 'delivered')).not.toHaveProperty('source');
    const [own] = await worker.accept({ accountId: account });
    expect(await worker.outcome(own!, 'delivered')).toMatchObject({ source: 'nine' });
    expect(seen).toEqual(['127.0.0.1', '127.0.0.9']);
    const { body } = await worker.internal('GET', '/operator/egress/ways');
    expect(body.sources).toMatchObject([{ id: 'nine', here: true, in_spf: false, ptr: { ok: false } }]);
    const known = await worker.internal('GET', '/internal/egress-addresses');
    expect(known.body).toEqual({ addresses: ['127.0.0.9'], only_relays: false });
    expect(body.sources[0].ptr).not.toHaveProperty('isInSpf');
    const before = body.sources[0].ptr.at;
    await worker.service.get(EgressChecks).seePtrs(new AbortController().signal);
    const again = await worker.internal('GET', '/operator/egress/ways');
    expect(Date.parse(again.body.sources[0].ptr.at)).toBeGreaterThan(Date.parse(before));
    await remove(worker, 'rules/vip');
    await remove(worker, 'sources/nine');
    await remove(worker, 'pools/vip');
  });

  it('of a pool with relays take its mail; the password is stored encrypted and never shown', async () => {
    const { host, worker } = shared;
    const relay = await MailHost.start();
    shared.fresh.closing.push(() => relay.stop());
    await put(worker, 'pools/out', { order: 'relays' });
    const access = { host: '127.0.0.1', port: relay.port, tls: 'opportunistic', pool: 'out' };
    expect(await put(worker, 'relays/ses', { ...access, allow_plaintext: true })).toMatchObject({
      status: 200,
    });
    await put(worker, 'rules/tagged', { pool: 'out', tag: 'slow' });
    await put(worker, 'rules/bulk', { pool: 'out', stream: 'bulk' });
    const many = Array.from({ length: 21 }, (_, nth) => `n${nth}@mail.test`);
    const ids = await worker.accept({ to: many });
    for (const id of ids)
      expect(await worker.outcome(id, 'delivered')).toMatchObject({ source: 'relay:ses' });
    expect([relay.messages.length, host.messages.length]).toEqual([21, 0]);
    await worker.accept();
    await host.waitFor(1);
    const login = { user: 'AKIA', password: 'a secret of the relay', tls: 'required' };
    expect(await put(worker, 'relays/ses', login)).toMatchObject({ status: 200 });
    const { body } = await worker.internal('GET', '/operator/egress/ways');
    expect(body.relays).toMatchObject([{ id: 'ses', user: 'AKIA' }]);
    expect(JSON.stringify(body)).not.toContain('secret');
    const [row] = await worker.database.query('select password from egress_relays');
    expect(row.password).toMatch(/^v1\./);
    const pool = worker.service.get(Ways).pools.find(({ id }) => id === 'out');
    expect(pool?.relays[0]?.login).toEqual({ user: 'AKIA', password: 'a secret of the relay' });
    for (const path of ['rules/tagged', 'rules/bulk', 'relays/ses', 'pools/out']) await remove(worker, path);
  });

  it.each([
    ['sources/a', { address: '127.0.0.9', ehlo: 'a.test', pool: 'none' }, 'there is no pool none'],
    ['sources/a', { address: '192.0.2.77', ehlo: 'a.test' }, 'no machine with a delivery worker has'],
    ['sources/A', { address: '127.0.0.9', ehlo: 'a.test' }, 'an id must be'],
    ['relays/r', { host: 'relay.test', tls: 'opportunistic' }, 'without TLS is refused'],
    [
      'relays/r',
      { host: 'relay.test', tls: 'opportunistic', allow_plaintext: true, user: 'u', password: 'p' },
      'is sent under TLS only',
    ],
    ['rules/r', { pool: 'none', tag: 'x' }, 'there is no pool none'],
    ['rules/r', { pool: 'default' }, 'a rule needs a condition'],
    ['rules/r', { pool: 'default', provider: 'gogle' }, 'neither in the provider table'],
  ])('refuse %s %j: %s', async (path, given, reason) => {
    const { status, body } = await put(shared.worker, path, given);
    expect([status, body.message]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('of operators are published as a list, with each change of an address', async () => {
    const { worker } = shared;
    const published = await recordEvents(worker.bus, {
      streams: ['accounts'],
      pick: ({ type, data }) => ({ type, data }),
    });
    const source = { address: '127.0.0.9', ehlo: 's.test' };
    await put(worker, 'sources/s', source);
    await put(worker, 'sources/s', { warm_up: true });
    await worker.service.get(PublishAddresses).publish();
    await remove(worker, 'sources/s');
    await worker.service.get(PublishAddresses).publish();
    await put(worker, 'sources/s', { ...source, ehlo: 't.test' });
    const lists = [[source], [source], [], [{ ...source, ehlo: 't.test' }]];
    await published.until(() => JSON.stringify(published.events.at(-1)).includes('t.test'));
    // of other tests before them
    expect(published.events.slice(-lists.length)).toEqual(
      lists.map((sources) => ({ type: 'egress-addresses-changed', data: { sources } })),
    );
    await remove(worker, 'sources/s');
  });

  it('keep a pool that rules use', async () => {
    const { worker } = shared;
    await put(worker, 'pools/p', {});
    expect((await put(worker, 'rules/r', { pool: 'p', tag: 'x' })).body.message).toContain(
      'needs a source or a relay',
    );
    await put(worker, 'sources/s', { address: '127.0.0.9', ehlo: 's.test', pool: 'p' });
    expect(await put(worker, 'rules/r', { pool: 'p', tag: 'x' })).toMatchObject({ status: 200 });
    expect((await remove(worker, 'sources/s')).body.message).toContain('needs a source or a relay');
    expect((await remove(worker, 'pools/p')).body.message).toBe('in use by s, r');
    expect((await remove(worker, 'pools/default')).status).toBe(400);
    for (const path of ['rules/r', 'sources/s', 'pools/p'])
      expect(await remove(worker, path)).toMatchObject({ status: 200 });
  });
});
