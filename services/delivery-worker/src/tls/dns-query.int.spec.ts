import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import dnsPacket from 'dns-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import { a, aaaa, cname, mx, NameServer } from '../testing/name-server.js';
import { Records, tlsaOf } from '../testing/tls-world.js';
import { DaneLookup } from './dane-lookup.js';
import { DnsQueries, DnsTrouble } from './dns-query.js';
import { readServer } from './validating-resolvers.rules.js';

const servers: NameServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
async function world() {
  const records = new Records();
  const server = await records.serve();
  servers.push(server);
  const at = [readServer(server.address)];
  return { records, server, dns: new DnsQueries(at), dane: new DaneLookup(at), at };
}

describe('a query', () => {
  it('reports whether the answer was validated, for records and for their absence', async () => {
    const { records, dns } = await world();
    records.set('A yes.test', { validated: [a('yes.test', '192.0.2.1', 30)] });
    records.set('A no.test', [a('no.test', '192.0.2.1')]);
    records.set('AAAA yes.test', { validated: [] });
    records.set('A gone.test', { validated: 'NXDOMAIN' });
    expect(await dns.ask('yes.test', 'A')).toMatchObject({
      authentic: true,
      ttlSeconds: 30,
      answers: [{ data: '192.0.2.1' }],
    });
    expect(await dns.ask('no.test', 'A')).toMatchObject({ authentic: false, answers: [{}] });
    expect(await dns.ask('yes.test', 'AAAA')).toMatchObject({ authentic: true, answers: [] });
    expect(await dns.ask('gone.test', 'A')).toMatchObject({ authentic: true, answers: [] });
    expect(await dns.ask('other.test', 'A')).toMatchObject({ authentic: false, answers: [] });
  });

  it('whose answer is too long comes over TCP', async () => {
    const { records, dns, server } = await world();
    const pairs = Array.from({ length: 5 }, () => selfSignedCertificate(['mx.test']));
    const many = pairs.map((pair) => tlsaOf('_25._tcp.mx.test', [3, 0, 0], pair));
    records.set('TLSA _25._tcp.mx.test', { validated: many });
    const reply = await dns.ask('_25._tcp.mx.test', 'TLSA');
    expect(reply).toMatchObject({ authentic: true });
    expect(reply.answers).toHaveLength(5);
    expect(server.asked).toHaveLength(2);
  });

  it.each(['SERVFAIL', 'REFUSED'] as const)('that meets %s has no answer', async (rcode) => {
    const { records, dns } = await world();
    records.set('A a.test', rcode);
    await expect(dns.ask('a.test', 'A')).rejects.toThrow(rcode);
  });

  it('believes no answer to another question, and none from elsewhere', async () => {
    const socket = createSocket('udp4');
    const stranger = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('message', (message, peer) => {
      const { id = 0, questions = [] } = dnsPacket.decode(message);
      const answer = (change: object, data: string) =>
        dnsPacket.encode({
          ...{ type: 'response', id, flags: dnsPacket.AUTHENTIC_DATA, questions },
          answers: [a('a.test', data)],
          ...change,
        });
      stranger.send(answer({}, '192.0.2.66'), peer.port, peer.address, () => {
        for (const packet of [
          Buffer.from('garbage'),
          answer({ id: id ^ 1 }, '192.0.2.67'),
          answer({ questions: [{ type: 'A', name: 'b.test' }] }, '192.0.2.68'),
          answer({ type: 'query' }, '192.0.2.69'),
          answer({}, '192.0.2.1'),
        ]) {
          socket.send(packet, peer.port, peer.address);
        }
      });
    });
    const dns = new DnsQueries([{ host: '127.0.0.1', port: socket.address().port }]);
    expect(await dns.ask('a.test', 'A')).toMatchObject({ answers: [{ data: '192.0.2.1' }] });
    socket.close();
    stranger.close();
  });

  it('goes to the next resolver when one is silent or gone', async () => {
    const { records, at } = await world();
    records.set('A a.test', [a('a.test', '192.0.2.1')]);
    const gone = await world();
    await servers.pop()?.stop();
    expect(await new DnsQueries([...gone.at, ...at]).ask('a.test', 'A')).toMatchObject({ answers: [{}] });
    await expect(new DnsQueries(gone.at).ask('a.test', 'A')).rejects.toThrow(DnsTrouble);
    await expect(new DnsQueries([]).ask('a.test', 'A')).rejects.toThrow(DnsTrouble);
  });
});

describe('the DANE records of a host', () => {
  const pair = selfSignedCertificate(['mx.a.test']);
  const good = (name: string) => tlsaOf(name, [3, 1, 1], pair);

  it('is found below a validated address only', async () => {
    const { records, dane, server } = await world();
    records.set('A mx.a.test', [a('mx.a.test', '192.0.2.1')]);
    records.set('TLSA _25._tcp.mx.a.test', { validated: [good('_25._tcp.mx.a.test')] });
    expect(await dane.tlsa('mx.a.test', 25)).toEqual({ kind: 'none' });
    expect(server.asked).toEqual(['A mx.a.test']);
    records.set('A mx.b.test', { validated: [] });
    records.set('AAAA mx.b.test', { validated: [aaaa('mx.b.test', '2001:db8::1')] });
    records.set('TLSA _25._tcp.mx.b.test', { validated: [good('_25._tcp.mx.b.test')] });
    expect(await dane.tlsa('mx.b.test', 25)).toMatchObject({ kind: 'records', dane: { base: 'mx.b.test' } });
    expect(await dane.tlsa('mx.b.test', 2525)).toEqual({ kind: 'none' });
  });

  it('is nothing unless the records were validated, too', async () => {
    const { records, dane } = await world();
    records.set('A mx.a.test', { validated: [a('mx.a.test', '192.0.2.1')] });
    records.set('TLSA _25._tcp.mx.a.test', [good('_25._tcp.mx.a.test')]);
    expect(await dane.tlsa('mx.a.test', 25)).toEqual({ kind: 'none' });
  });

  it('behind an alias stands at the name that it leads to, then at its own', async () => {
    const { records, dane } = await world();
    for (const domain of ['a.test', 'b.test']) {
      const alias = [cname(`mx.${domain}`, `host.${domain}`), a(`host.${domain}`, '192.0.2.1')];
      records.set(`A mx.${domain}`, { validated: alias });
      records.set(`TLSA _25._tcp.mx.${domain}`, { validated: [good(`_25._tcp.mx.${domain}`)] });
    }
    records.set('TLSA _25._tcp.host.a.test', { validated: [good('_25._tcp.host.a.test')] });
    expect(await dane.tlsa('mx.a.test', 25)).toMatchObject({ dane: { base: 'host.a.test' } });
    expect(await dane.tlsa('mx.b.test', 25)).toMatchObject({ dane: { base: 'mx.b.test' } });
  });

  it('are unknown while the query fails, and are queried again soon', async () => {
    const { records, dane } = await world();
    records.set('A mx.a.test', { validated: [a('mx.a.test', '192.0.2.1')] });
    records.set('TLSA _25._tcp.mx.a.test', 'SERVFAIL');
    expect(await dane.tlsa('mx.a.test', 25)).toMatchObject({ kind: 'failed' });
    records.set('MX a.test', 'SERVFAIL');
    expect(await dane.mx('a.test')).toMatchObject({ kind: 'failed' });
  });

  it('begins with the MX records, or with the domain that has none', async () => {
    const { records, dane, server } = await world();
    records.set('MX a.test', { validated: [mx('a.test', 'MX.a.test', 10)] });
    records.set('MX b.test', { validated: [] });
    records.set('MX c.test', [mx('c.test', 'mx.c.test', 10)]);
    expect(await dane.mx('a.test')).toEqual({ kind: 'secure', hosts: new Set(['mx.a.test']) });
    expect(await dane.mx('b.test')).toEqual({ kind: 'secure', hosts: new Set(['b.test']) });
    expect(await dane.mx('c.test')).toEqual({ kind: 'insecure' });
    await dane.mx('a.test');
    expect(server.asked).toHaveLength(3);
  });

  it('is nothing without a resolver that is trusted', async () => {
    const dane = new DaneLookup([]);
    expect(dane.isOn).toBe(false);
    expect(await dane.mx('a.test')).toEqual({ kind: 'insecure' });
  });
});
