import { describe, expect, it } from 'vitest';
import type { EgressSourceSetting } from '@postmesh/settings';
import { constantLimits } from '../shaping/constant-limits.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ConnectionPool } from '../smtp-client/connection-pool.js';
import { freshWorlds, sharedWorld } from '../testing/fresh-world.js';
import type { MailHost } from '../testing/mail-host.js';
import { aaaa, mx, NameServer } from '../testing/name-server.js';

const source = (id: string, address: string): EgressSourceSetting => ({
  ...{ id, address, ehlo: `mta-${id}.service.test` },
});
const [A, B] = [source('a', '127.0.0.2'), source('b', '127.0.0.3')];
// RFC 5737: an address of no machine
const ELSEWHERE = source('far', '192.0.2.1');

/** Address and greeting of each message that a host received. */
function watch(host: MailHost) {
  const seen: string[] = [];
  host.manners = {
    accept: (_message, peer) => {
      const greeting = peer.transcript.find((line) => line.startsWith('EHLO'));
      seen.push(`${peer.socket.remoteAddress} ${greeting?.slice(5)}`);
      return undefined;
    },
  };
  return seen;
}
const A_SEEN = '127.0.0.2 mta-a.service.test';
const B_SEEN = '127.0.0.3 mta-b.service.test';

const world = freshWorlds();

describe('two source addresses', () => {
  const shared = sharedWorld(({ start }) => start({ settings: { egressSources: [A, B] } }));

  it('greet with their own names, and the record of an attempt has the one that was used', async () => {
    const { host, worker } = shared;
    const seen = watch(host);
    const domains = Array.from({ length: 12 }, (_, nth) => `mail${nth}.test`);
    const ids = await worker.accept({ to: domains.map((domain) => `ann@${domain}`) });
    const published = await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    // one address each per domain and group, both of them over many groups
    expect(new Set(seen)).toEqual(new Set([A_SEEN, B_SEEN]));
    expect(new Set(published.map((one) => one.source))).toEqual(new Set(['a', 'b']));
    const again = await worker.accept({ to: domains.map((domain) => `bob@${domain}`) });
    const later = await Promise.all(again.map((id) => worker.outcome(id, 'delivered')));
    expect(later.map((one) => one.source)).toEqual(published.map((one) => one.source));
  });

  it('of which a delivery was tried from one are kept by it', async () => {
    const { host, worker } = shared;
    host.manners = { accept: () => '451 4.7.1 greylisted' };
    const [id] = await worker.accept();
    const { source: first } = await worker.outcome(id!, 'deferred');
    // as if the other one had been preferred meanwhile
    const other = first === 'a' ? 'b' : 'a';
    expect(await worker.database.query('select source from deliveries')).toEqual([{ source: first }]);
    await worker.database.query('update deliveries set source = $1', [other]);
    const seen = watch(host);
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 2, source: other });
    expect(seen).toEqual([other === 'a' ? A_SEEN : B_SEEN]);
  });

  it('limit the claims for a group, both of them together', () => {
    const limits = shared.worker.service.get(ShapingLimits);
    // `others`: of one source
    expect(limits.of('m:0123456789abcdef')).toBe(2 * limits.others);
  });
});

describe('source addresses', () => {
  it('that this machine does not have are left out; a delivery that had one takes another', async () => {
    const { host, start } = await world();
    const worker = await start({ settings: { egressSources: [ELSEWHERE, B] } });
    const seen = watch(host);
    const ids = await worker.accept({ to: ['ann@mail1.test', 'ann@mail2.test', 'ann@mail3.test'] });
    for (const id of ids) expect(await worker.outcome(id, 'delivered')).toMatchObject({ source: 'b' });
    host.manners = { accept: () => '451 4.3.0 later' };
    const [next] = await worker.accept();
    await worker.outcome(next!, 'deferred');
    await worker.database.query(`update deliveries set source = 'far'`);
    watch(host);
    await worker.makeDue();
    expect(await worker.outcome(next!, 'delivered')).toMatchObject({ source: 'b' });
    expect(new Set(seen)).toEqual(new Set([B_SEEN]));
  });

  it('that are all of other machines stop the start', async () => {
    const { start } = await world();
    await expect(start({ settings: { egressSources: [ELSEWHERE] } })).rejects.toThrow(
      'POSTMESH_EGRESS_SOURCES: this machine has none of these addresses',
    );
  });

  it('of the other protocol reach no host: the message waits with that reason', async () => {
    const { host, start, closing } = await world();
    const dns = await NameServer.start((name, type) =>
      type === 'MX' ? [mx(name, `mx.${name}`, 10)] : type === 'AAAA' ? [aaaa(name, '::1')] : [],
    );
    closing.push(() => dns.stop());
    const worker = await start({ dns, settings: { egressSources: [A] } });
    const [id] = await worker.accept();
    expect(await worker.outcome(id!, 'deferred')).toMatchObject({
      reply: { smtp_code: 0, response: 'none of our source addresses reaches a host of the destination' },
      remote_host: null,
    });
    expect(host.messages).toEqual([]);
  });

  it('that are none leave address and name to the system and the settings', async () => {
    const { host, start } = await world();
    const worker = await start({ settings: { ehloName: 'mta.own.test' } });
    const seen = watch(host);
    const [id] = await worker.accept();
    expect(await worker.outcome(id!, 'delivered')).not.toHaveProperty('source');
    expect(seen).toEqual(['127.0.0.1 mta.own.test']);
  });
});

describe('how busy a source is with a group', () => {
  it('is counted for each of them', async () => {
    const { host, closing } = await world();
    host.manners = { accept: () => new Promise<string>(() => undefined) };
    const pool = new ConnectionPool({
      ehloName: 'mta.service.test',
      limits: constantLimits({ connections: 1 }),
    });
    closing.push(() => pool.close(0));
    const from = (id: string, address: string) => ({
      hosts: [{ name: 'mx.test', preference: 0, addresses: ['127.0.0.1'] }],
      port: host.port,
      source: { id, address, ehloName: `mta-${id}.service.test` },
    });
    const [a, b] = [from('a', '127.0.0.2'), from('b', '127.0.0.3')];
    const one = {
      envelopeFrom: '',
      recipient: 'ann@mail.test',
      chunks: [],
      size: 0,
      eightBit: false,
      smtpUtf8: false,
    };
    expect(pool.isFull(a)).toBe(false);
    for (let nth = 0; nth < 6; nth++) void pool.send(a, one);
    await expect.poll(() => pool.isFull(a)).toBe(true);
    expect(pool.isFull(b)).toBe(false);
    void pool.send(b, one);
    await expect.poll(() => pool.stats()).toMatchObject({ groups: 2, connections: 2 });
  });
});
