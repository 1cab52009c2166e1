import dnsPacket from 'dns-packet';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readQuery } from './dns-message.rules.js';

const query = (changes: object = {}) =>
  dnsPacket.encode({ type: 'query', id: 258, questions: [{ name: 'a.test', type: 'A' }], ...changes });

const rcodeOf = (message: Buffer): number => {
  const reading = readQuery(message);
  if (reading === 'ignore' || !('error' in reading)) throw new Error('no error');
  const response = dnsPacket.encode(reading.error);
  expect(response.readUInt16BE(0)).toBe(258);
  return response.readUInt8(3) & 0xf;
};

describe('a message', () => {
  test('that is a plain question is read', () => {
    const reading = readQuery(query({ flags: dnsPacket.RECURSION_DESIRED }));
    expect(reading).toMatchObject({
      query: { id: 258, recursionDesired: true, question: { name: 'a.test', type: 'A' } },
    });
  });

  test('without a header, or that is a response, is not answered', () => {
    expect(readQuery(Buffer.alloc(11))).toBe('ignore');
    expect(readQuery(query({ type: 'response' }))).toBe('ignore');
  });

  test.each([
    ['with no question', query({ questions: [] }), 1],
    [
      'with two questions',
      query({
        questions: [
          { name: 'a.test', type: 'A' },
          { name: 'b.test', type: 'A' },
        ],
      }),
      1,
    ],
    ['that breaks off', query().subarray(0, 18), 1],
    ['with a name that points at itself', pointingAtItself(), 1],
    ['with a dot inside a label', dotInLabel(), 1],
    ['with another opcode than QUERY', query({ flags: 5 << 11 }), 4],
    ['of another class', query({ questions: [{ name: 'a.test', type: 'A', class: 'CH' }] }), 5],
  ])('%s gets an error', (_kind, message, rcode) => {
    expect(rcodeOf(message)).toBe(rcode);
  });

  test('of a later EDNS version gets BADVERS', () => {
    const options = {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 4096,
      extendedRcode: 0,
      ednsVersion: 1,
      flags: 0,
      flag_do: false,
      options: [],
    };
    const reading = readQuery(query({ additionals: [options] }));
    if (reading === 'ignore' || !('error' in reading)) throw new Error('no error');
    expect(dnsPacket.decode(dnsPacket.encode(reading.error)).additionals?.[0]).toMatchObject({
      type: 'OPT',
      extendedRcode: 1,
    });
  });

  test('of any bytes never makes readQuery throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readQuery(Buffer.from(bytes))),
      { numRuns: 2000 },
    );
  });

  test('with a few changed bytes never makes readQuery throw', () => {
    const changes = fc.array(fc.tuple(fc.nat(40), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(changes, (edits) => {
        const message = query();
        for (const [at, byte] of edits) message[at % message.length] = byte;
        readQuery(message);
      }),
      { numRuns: 2000 },
    );
  });
});

function pointingAtItself(): Buffer {
  const message = Buffer.from(query());
  message[12] = 0xc0;
  message[13] = 12;
  return message;
}

function dotInLabel(): Buffer {
  const message = Buffer.from(query({ questions: [{ name: 'abc.test', type: 'A' }] }));
  message[14] = '.'.charCodeAt(0);
  return message;
}
