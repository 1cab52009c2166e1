import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import dnsPacket from 'dns-packet';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NOTHING_PUBLISHED, startTestInternet, type TestInternet } from '../local-internet.fixture.js';

const SERVICE_RECORDS = [
  { type: 'TXT', host: 'spf.postmesh.test', content: 'v=spf1 ip4:127.0.0.1 -all' },
  { type: 'A', host: 'mx.postmesh.test', content: '127.0.0.1' },
  { type: 'A', host: 'track.postmesh.test', content: '127.0.0.1' },
  { type: 'TXT', host: 'token.d1.dkim.postmesh.test', content: `v=DKIM1; k=rsa; p=${'A'.repeat(400)}` },
];

const MAIL_EXAMPLE = {
  domain: 'mail.example.test',
  records: [
    { type: 'TXT', host: 'mail.example.test', content: 'v=spf1 include:spf.postmesh.test ~all' },
    { type: 'CNAME', host: 'managed._domainkey.mail.example.test', content: 'token.d1.dkim.postmesh.test' },
    { type: 'CNAME', host: 'track.mail.example.test', content: 'track.postmesh.test' },
    { type: 'MX', host: 'mail.example.test', content: '10 mx.postmesh.test' },
  ],
};

let internet: TestInternet;
beforeAll(async () => {
  internet = await startTestInternet();
});
afterAll(() => internet.stop());
beforeEach(() => {
  internet.published.zone = { domains: [MAIL_EXAMPLE], serviceRecords: SERVICE_RECORDS };
  internet.published.fails = false;
});

const port = () => Number(internet.dnsAddress.split(':')[1]);

/** Sends one datagram and resolves with the reply. */
async function exchange(message: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4');
  try {
    socket.send(message, port(), '127.0.0.1');
    const [response] = (await once(socket, 'message')) as [Buffer];
    return response;
  } finally {
    socket.close();
  }
}

const question = (name: string, type: 'TXT' | 'MX' | 'A', id = 7) =>
  dnsPacket.encode({ type: 'query', id, flags: dnsPacket.RECURSION_DESIRED, questions: [{ name, type }] });

describe('a .test name', () => {
  test('has the records that the service lists for its owner', async () => {
    const { resolver } = internet;
    expect(await resolver.resolveTxt('mail.example.test')).toEqual([
      ['v=spf1 include:spf.postmesh.test ~all'],
    ]);
    expect(await resolver.resolveMx('mail.example.test')).toMatchObject([
      { priority: 10, exchange: 'mx.postmesh.test' },
    ]);
    expect(await resolver.resolve4('mx.postmesh.test')).toEqual(['127.0.0.1']);
    expect(await resolver.resolveCname('track.mail.example.test')).toEqual(['track.postmesh.test']);
  });

  test('has a changed record at once, also a moment after a query of the old one', async () => {
    const { resolver, published } = internet;
    expect(await resolver.resolveCname('track.mail.example.test')).toEqual(['track.postmesh.test']);
    const records = [{ type: 'CNAME', host: 'track.mail.example.test', content: 'other.postmesh.test' }];
    published.zone = { domains: [{ ...MAIL_EXAMPLE, records }], serviceRecords: SERVICE_RECORDS };
    expect(await resolver.resolveCname('track.mail.example.test')).toEqual(['other.postmesh.test']);
  });

  test('is followed through CNAMEs to their target', async () => {
    expect(await internet.resolver.resolve4('track.mail.example.test')).toEqual(['127.0.0.1']);
    const [key] = await internet.resolver.resolveTxt('managed._domainkey.mail.example.test');
    expect(key?.length).toBe(2);
    expect(key?.join('')).toBe(`v=DKIM1; k=rsa; p=${'A'.repeat(400)}`);
  });

  test('has an MX at the sink when none is published', async () => {
    expect(await internet.resolver.resolveMx('anybody.test')).toMatchObject([
      { priority: 10, exchange: 'mx.local-internet.test' },
    ]);
    expect(await internet.resolver.resolve4('mx.local-internet.test')).toEqual(['127.0.0.1']);
    internet.published.zone = {
      ...NOTHING_PUBLISHED,
      domains: [
        { domain: 'apex.test', records: [{ type: 'TXT', host: 'apex.test', content: 'v=spf1 ~all' }] },
      ],
    };
    expect(await internet.resolver.resolveMx('apex.test')).toMatchObject([
      { priority: 10, exchange: 'mx.local-internet.test' },
    ]);
  });

  test('without records of the question’s type still exists', async () => {
    await expect(internet.resolver.resolveTxt('anybody.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(internet.resolver.resolve6('mail.example.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('whose first label begins with nodns does not exist, nor does any name below it', async () => {
    internet.published.zone = {
      ...NOTHING_PUBLISHED,
      domains: [{ domain: 'nodns-1.test', records: [{ type: 'TXT', host: 'nodns-1.test', content: 'x' }] }],
    };
    await expect(internet.resolver.resolveTxt('nodns-1.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(internet.resolver.resolveMx('nodns-1.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(internet.resolver.resolveTxt('_dmarc.NoDNS-1.test')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test('is found by the first query after its domain was created, even after an earlier query', async () => {
    await expect(internet.resolver.resolveTxt('young.test')).rejects.toMatchObject({ code: 'ENODATA' });
    internet.published.zone = {
      ...NOTHING_PUBLISHED,
      domains: [{ domain: 'young.test', records: [{ type: 'TXT', host: 'young.test', content: 'now' }] }],
    };
    expect(await internet.resolver.resolveTxt('young.test')).toEqual([['now']]);
  });
});

test('names outside .test do not exist, unless they are the service’s own', async () => {
  await expect(internet.resolver.resolve4('example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  internet.published.zone = {
    domains: [],
    serviceRecords: [{ type: 'A', host: 'mx.postmesh.local', content: '127.0.0.1' }],
  };
  expect(await internet.resolver.resolve4('mx.postmesh.local')).toEqual(['127.0.0.1']);
  await expect(internet.resolver.resolve4('postmesh.local')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('127.0.0.1 has a reverse name that leads back', async () => {
  expect(await internet.resolver.resolvePtr('1.0.0.127.in-addr.arpa')).toEqual(['mx.local-internet.test']);
});

describe('while records cannot be read', () => {
  test('answers come from the last reading, the MX too', async () => {
    const { resolver, published } = internet;
    await resolver.resolveTxt('mail.example.test');
    published.fails = true;
    expect(await resolver.resolveMx('anybody.test')).toMatchObject([
      { priority: 10, exchange: 'mx.local-internet.test' },
    ]);
    expect(await resolver.resolveMx('mail.example.test')).toMatchObject([
      { priority: 10, exchange: 'mx.postmesh.test' },
    ]);
    expect(await resolver.resolve4('track.mail.example.test')).toEqual(['127.0.0.1']);
  });

  test('an absence is a failure, never a missing name', async () => {
    const { resolver, published } = internet;
    await resolver.resolveTxt('mail.example.test');
    published.fails = true;
    await expect(resolver.resolveTxt('anybody.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    await expect(resolver.resolve4('example.com')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    await expect(resolver.resolve4('nodns-1.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('everything is a failure before the first reading', async () => {
    const young = await startTestInternet({ recordsSource: () => Promise.reject(new Error('down')) });
    try {
      await expect(young.resolver.resolveMx('anybody.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    } finally {
      await young.stop();
    }
  });
});

test('concurrent questions share readings', async () => {
  const before = internet.published.readings;
  await Promise.all(Array.from({ length: 200 }, (_, at) => internet.resolver.resolveMx(`share-${at}.test`)));
  expect(internet.published.readings - before).toBeLessThan(20);
});

describe('on the wire', () => {
  test('the case of the question comes back', async () => {
    const answer = dnsPacket.decode(await exchange(question('MaiL.eXample.TEST', 'TXT')));
    expect(answer.questions?.[0]?.name).toBe('MaiL.eXample.TEST');
    expect(answer.answers?.[0]?.name).toBe('MaiL.eXample.TEST');
  });

  test('an answer too long for the client is cut with TC over UDP and complete over TCP', async () => {
    const long = 'x'.repeat(3000);
    internet.published.zone = {
      ...NOTHING_PUBLISHED,
      domains: [{ domain: 'long.test', records: [{ type: 'TXT', host: 'long.test', content: long }] }],
    };
    const short = dnsPacket.decode(await exchange(question('long.test', 'TXT')));
    expect(short.flag_tc).toBe(true);
    expect(short.answers).toEqual([]);
    const [whole] = await internet.resolver.resolveTxt('long.test');
    expect(whole?.map((part) => part.length)).toEqual([...Array.from({ length: 11 }, () => 255), 195]);
  });

  test('EDNS raises the limit', async () => {
    const query = dnsPacket.encode({
      type: 'query',
      id: 1,
      questions: [{ name: 'token.d1.dkim.postmesh.test', type: 'TXT' }],
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: 1232,
          extendedRcode: 0,
          ednsVersion: 0,
          flags: 0,
          flag_do: false,
          options: [],
        },
      ],
    });
    const answer = dnsPacket.decode(await exchange(query));
    expect(answer.flag_tc).toBe(false);
    expect(answer.answers).toHaveLength(1);
    expect(answer.additionals?.[0]?.type).toBe('OPT');
  });

  test('several questions on one TCP connection are all answered', async () => {
    const socket = connect(port(), '127.0.0.1');
    const queries = [1, 2, 3].map((id) => question(`tcp-${id}.test`, 'MX', id));
    for (const query of queries) {
      const framed = Buffer.concat([Buffer.from([0, query.length]), query]);
      // In two halves, since a stream has no message boundaries.
      socket.write(framed.subarray(0, 5));
      socket.write(framed.subarray(5));
    }
    const ids = new Set<number>();
    let rest = Buffer.alloc(0);
    while (ids.size < 3) {
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      rest = Buffer.concat([rest, chunk]);
      while (rest.length > 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        ids.add(rest.readUInt16BE(2));
        rest = rest.subarray(2 + rest.readUInt16BE(0));
      }
    }
    socket.destroy();
    expect([...ids].sort()).toEqual([1, 2, 3]);
  });

  test('malformed packets get FORMERR and the server continues', async () => {
    const broken = Buffer.concat([question('broken.test', 'MX').subarray(0, 20)]);
    expect((await exchange(broken)).readUInt8(3) & 0xf).toBe(1);
    expect(await internet.resolver.resolveMx('anybody.test')).toHaveLength(1);
  });
});
