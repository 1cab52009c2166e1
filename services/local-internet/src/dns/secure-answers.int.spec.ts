import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import dnsPacket, { type Answer, type RecordType } from 'dns-packet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestInternet, type TestInternet } from '../local-internet.fixture.js';

let internet: TestInternet;
beforeAll(async () => {
  internet = await startTestInternet();
});
afterAll(() => internet.stop());

/** @param understands the bit by which the question declares that it understands AD */
async function ask(name: string, type: RecordType, understands: 'AD' | 'DO' | 'nothing' = 'DO') {
  const flags = dnsPacket.RECURSION_DESIRED | (understands === 'AD' ? dnsPacket.AUTHENTIC_DATA : 0);
  const options = { name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, options: [] };
  const query = dnsPacket.encode({
    ...{ type: 'query', id: 9, flags, questions: [{ name, type }] },
    additionals:
      understands === 'DO' ? [{ type: 'OPT', ...options, flags: dnsPacket.DNSSEC_OK, flag_do: true }] : [],
  });
  const socket = createSocket('udp4');
  try {
    socket.send(query, Number(internet.dnsAddress.split(':')[1]), '127.0.0.1');
    const [response] = (await once(socket, 'message')) as [Buffer];
    const { flag_ad, answers = [] } = dnsPacket.decode(response);
    return { isAuthentic: flag_ad, rcode: (response[3] ?? 0) & 0xf, answers };
  } finally {
    socket.close();
  }
}

const tlsaIn = (answers: readonly Answer[]): unknown =>
  answers.find(({ type }) => type === 'TLSA') && 'there';

test('answers from a signed zone are authentic, also those about absent names', async () => {
  for (const [name, type] of [
    ['dane-good.houses.test', 'MX'],
    ['mx.dane-good.houses.test', 'A'],
    ['mx.dane-good.houses.test', 'AAAA'],
    ['_25._tcp.mx.dane-good.houses.test', 'TLSA'],
    ['_25._tcp.mx.tls-good.houses.test', 'TLSA'],
  ] as const) {
    const isSigned = name.includes('dane-good');
    expect([name, (await ask(name, type)).isAuthentic]).toEqual([name, isSigned]);
  }
});

test('only a resolver that declares support of AD gets it', async () => {
  expect((await ask('dane-good.houses.test', 'MX', 'AD')).isAuthentic).toBe(true);
  expect((await ask('dane-good.houses.test', 'MX', 'nothing')).isAuthentic).toBe(false);
});

test.each([
  ['dane-good', 'there', 0, true],
  ['dane-authority', 'there', 0, true],
  ['dane-bad', 'there', 0, true],
  ['dane-unusable', 'there', 0, true],
  ['dane-failing', undefined, 2, false],
  ['dane-insecure', 'there', 0, false],
  ['tls-good', undefined, 0, false],
])('TLSA of %s: %s, rcode %i, authentic: %s', async (house, records, rcode, isAuthentic) => {
  const found = await ask(`_25._tcp.mx.${house}.houses.test`, 'TLSA');
  expect([tlsaIn(found.answers), found.rcode, found.isAuthentic]).toEqual([records, rcode, isAuthentic]);
});

test('a zone published by hand may be signed and hold TLSA; a CNAME out of it leads into the unsigned', async () => {
  const records = [
    { type: 'TLSA', host: '_25._tcp.mx.signed.test', content: '3 1 1 00ff' },
    { type: 'CNAME', host: 'out.signed.test', content: 'mx.local-internet.test' },
  ];
  const response = await fetch(`${internet.mailboxUrl}/api/zones/signed.test`, {
    method: 'PUT',
    body: JSON.stringify({ records, secure: true }),
  });
  expect(response.status).toBe(200);
  const { answers, isAuthentic } = await ask('_25._tcp.mx.signed.test', 'TLSA');
  expect(isAuthentic).toBe(true);
  expect(answers).toMatchObject([
    { data: { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.from([0, 255]) } },
  ]);
  expect((await ask('out.signed.test', 'A')).isAuthentic).toBe(false);
  expect((await ask('nowhere.signed.test', 'A')).isAuthentic).toBe(true);
});
