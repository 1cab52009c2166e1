import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '@postmesh/concurrency';
import { hostsKey } from './connection-pool.js';
import { HOST_BACKOFF } from './host-pool.js';
import { describeReply } from './smtp-outcome.js';
import { ProtocolViolation, readCapabilities, ReplyParser } from './smtp-reply.js';
import { frameData, isSafePath } from './smtp-transaction.js';
import { TlsMemory } from './tls-memory.js';

const parse = (...chunks: string[]) => {
  const parser = new ReplyParser();
  return chunks.flatMap((chunk) => parser.push(Buffer.from(chunk, 'utf8')));
};

describe('replies', () => {
  it.each([
    [['250 ok\r\n'], [{ code: 250, lines: ['ok'] }]],
    [['250\r\n'], [{ code: 250, lines: [''] }]],
    [['250 \r\n'], [{ code: 250, lines: [''] }]],
    [['250 ok\n'], [{ code: 250, lines: ['ok'] }]],
    [['250-a\r\n250-b\r\n250 c\r\n'], [{ code: 250, lines: ['a', 'b', 'c'] }]],
    [
      ['2', '50 ok', '\r', '\n354 go\r\n'],
      [
        { code: 250, lines: ['ok'] },
        { code: 354, lines: ['go'] },
      ],
    ],
    [['550 kein Empfänger\r\n'], [{ code: 550, lines: ['kein Empfänger'] }]],
    [['250 a\u0007\u001b[31mb\r\n'], [{ code: 250, lines: ['a [31mb'] }]],
  ])('%j are %j', (chunks, replies) => expect(parse(...chunks)).toEqual(replies));

  it.each([
    ['garbage', 'HTTP/1.1 400 Bad Request\r\n'],
    ['no code', 'ok\r\n'],
    ['an impossible code', '999 ok\r\n'],
    ['a code of another kind', '150 ok\r\n'],
    ['no separator', '250ok\r\n'],
    ['an empty line', '\r\n'],
    ['a line without end', '2'.repeat(3_000)],
    ['a line that is too long', `250 ${'a'.repeat(3_000)}\r\n`],
    ['lines without end', '250-a\r\n'.repeat(300)],
    ['a code that changes', '250-a\r\n550 b\r\n'],
  ])('are not %s', (_what, text) => expect(() => parse(text)).toThrow(ProtocolViolation));

  it('are the same however they are cut', () => {
    const line = fc.tuple(
      fc.integer({ min: 200, max: 599 }),
      fc.array(fc.stringMatching(/^[ -~]{0,40}$/), { minLength: 1, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat(30)), (replies, cuts) => {
        const text = replies
          .map(([code, lines]) =>
            lines.map((said, at) => `${code}${at < lines.length - 1 ? '-' : ' '}${said}\r\n`).join(''),
          )
          .join('');
        const chunks: string[] = [];
        let from = 0;
        for (const length of cuts) chunks.push(text.slice(from, (from += length)));
        chunks.push(text.slice(from));
        expect(parse(...chunks)).toEqual(replies.map(([code, lines]) => ({ code, lines })));
      }),
    );
  });

  it.each([
    [{ code: 250, lines: ['2.0.0 queued as 7F1'] }, '2.0.0', 'queued as 7F1'],
    [{ code: 550, lines: ['5.1.1 no such', '5.1.1 user'] }, '5.1.1', 'no such user'],
    [{ code: 550, lines: ['no such user'] }, undefined, 'no such user'],
    [{ code: 550, lines: ['5.1.1'] }, '5.1.1', ''],
    [{ code: 550, lines: ['2.1.5 odd'] }, undefined, '2.1.5 odd'],
    [{ code: 421, lines: ['4.7.0 a', 'plain line'] }, '4.7.0', 'a plain line'],
    [{ code: 550, lines: ['5.7.26 This mail'] }, '5.7.26', 'This mail'],
    [{ code: 550, lines: ['5.7.1.2 version'] }, undefined, '5.7.1.2 version'],
    [{ code: 550, lines: ['#5.1.1 no such user'] }, '5.1.1', '#5.1.1 no such user'],
    [{ code: 550, lines: ['5.0.0 no', 'mailbox (5.2.1)'] }, '5.2.1', 'no mailbox (5.2.1)'],
    [{ code: 421, lines: ['Exim 4.9.1 is busy'] }, undefined, 'Exim 4.9.1 is busy'],
  ])('%j has the enhanced code %s and says %j', (reply, enhancedStatusCode, response) => {
    expect(describeReply(reply)).toEqual({ smtpCode: reply.code, enhancedStatusCode, response });
  });

  it('are kept only so long', () => {
    expect(describeReply({ code: 550, lines: Array(200).fill('x'.repeat(100)) }).response).toHaveLength(
      1_000,
    );
  });
});

describe('the extensions in a reply to EHLO', () => {
  it('are read in any letter case', () => {
    const reply = {
      code: 250,
      lines: [
        'mx.test',
        'size 35882577',
        'Pipelining',
        '8BITMIME',
        'AUTH=LOGIN',
        'AUTH PLAIN LOGIN',
        'SMTPUTF8',
        'STARTTLS',
      ],
    };
    expect(readCapabilities(reply)).toEqual({
      starttls: true,
      pipelining: true,
      eightBitMime: true,
      smtpUtf8: true,
      size: true,
      maxMessageBytes: 35_882_577,
      auth: ['LOGIN', 'PLAIN', 'LOGIN'],
    });
  });

  it.each(['SIZE', 'SIZE 0', 'SIZE lots'])('%s is no limit', (line) => {
    expect(readCapabilities({ code: 250, lines: ['mx.test', line] })).toMatchObject({
      size: true,
      maxMessageBytes: undefined,
    });
  });
});

describe('data', () => {
  const frame = (...chunks: string[]) =>
    Buffer.concat(frameData(chunks.map((chunk) => Buffer.from(chunk)))).toString();
  it.each([
    [['a\r\n'], 'a\r\n.\r\n'],
    [['a'], 'a\r\n.\r\n'],
    [[''], '.\r\n'],
    [[], '.\r\n'],
    [['.a\r\n..\r\n.\r\n'], '..a\r\n...\r\n..\r\n.\r\n'],
    [['a\r\n', '.b'], 'a\r\n..b\r\n.\r\n'],
    [['a\r', '\n', '.b'], 'a\r\n..b\r\n.\r\n'],
    [['a', '\r', '\n'], 'a\r\n.\r\n'],
    [['a\r', '\n'], 'a\r\n.\r\n'],
    [['a\n.\nQUIT'], 'a\n..\nQUIT\r\n.\r\n'],
    [['a\r.\rQUIT'], 'a\r..\rQUIT\r\n.\r\n'],
    [['a\n'], 'a\n\r\n.\r\n'],
    [['a.b\r\n', 'c.d\r\n'], 'a.b\r\nc.d\r\n.\r\n'],
  ])('%j is sent as %j', (chunks, sent) => expect(frame(...chunks)).toBe(sent));

  it('comes back whole and never ends early, however it is cut', () => {
    const piece = fc.constantFrom('.', '..', 'a', '\r\n', '\r\n.', '\n', '\r', '\r\n.\r\n', '\n.\n', '\r.\r');
    fc.assert(
      fc.property(
        fc.array(
          fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
          { maxLength: 6 },
        ),
        (chunks) => {
          const sent = frame(...chunks);
          expect(sent.endsWith('.\r\n')).toBe(true);
          const body = sent.slice(0, -3);
          expect(body === '' || body.endsWith('\r\n')).toBe(true);
          // No line end of any kind, dot, line end of any kind before the end.
          expect(`\r\n${body}`).not.toMatch(/[\r\n]\.[\r\n]/);
          const whole = chunks.join('');
          const unstuffed = body.replace(/(^|[\r\n])\.\./g, '$1.');
          expect([whole, `${whole}\r\n`]).toContain(unstuffed);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('an address on the wire', () => {
  it.each(['ann@mail.test', '"a..b"@mail.test', 'b+x@rp.shop.test', 'jürgen@mail.test'])(
    '%s is safe',
    (address) => {
      expect(isSafePath(address)).toBe(true);
    },
  );
  it.each([
    '',
    'ann',
    '@mail.test',
    'a b@mail.test',
    'a@b.test>',
    'a@b.test\r\nRCPT TO:<x@y.test',
    'a\u0000@b.test',
    'a@b\u2028.test',
    `${'a'.repeat(250)}@b.test`,
  ])('%j is not', (address) => expect(isSafePath(address)).toBe(false));
});

describe('a host that does not answer', () => {
  it('is left alone for longer each time, up to five minutes', () => {
    const seconds = (failures: number, random = 0.5) => backoffMs(failures, HOST_BACKOFF, random) / 1000;
    const delays = Array.from({ length: 8 }, (_, before) => seconds(before + 1));
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    expect([seconds(1, 0), seconds(1, 1)]).toEqual([8, 12]);
  });
});

describe('the TLS memory', () => {
  it('is forgotten in time and bounded', () => {
    let now = 0;
    const memory = new TlsMemory({ now: () => now });
    const proof = { verdict: 'untrusted', pkix: false } as const;
    const of = (host: string) => memory.options({ host }).options;
    memory.keepSession({ host: 'mx.test' }, Buffer.from('ticket'), proof);
    expect(memory.options({ host: 'mx.test' })).toMatchObject({
      resumes: proof,
      options: { session: Buffer.from('ticket'), servername: 'mx.test' },
    });
    memory.markBroken('mx.test');
    expect(of('mx.test').session).toBeUndefined();
    expect(memory.isBroken('mx.test')).toBe(true);
    now = 10 * 60_000;
    expect(memory.isBroken('mx.test')).toBe(false);
    for (let i = 0; i < 6_000; i++) memory.keepSession({ host: `h${i}` }, Buffer.alloc(1), proof);
    expect(of('h0').session).toBeUndefined();
    expect(of('h5999').session).toBeDefined();
    now += 60 * 60_000;
    expect(of('h5999').session).toBeUndefined();
    expect(of('192.0.2.1').servername).toBeUndefined();
  });

  it('is resumed only where its first handshake proved enough', () => {
    const memory = new TlsMemory();
    const host = 'mx.test';
    const dane = { key: 'k', records: [], base: 'mx.test', destination: 'a.test' };
    const resumed = (need: object) => memory.options({ host, ...need }).options.session?.toString();
    memory.keepSession({ host }, Buffer.from('any'), { verdict: 'untrusted', pkix: false });
    expect(resumed({})).toBe('any');
    expect(resumed({ need: 'pkix' })).toBeUndefined();
    expect(resumed({ need: 'dane', dane })).toBeUndefined();
    memory.keepSession({ host }, Buffer.from('good'), { verdict: 'pkix', pkix: true });
    expect(resumed({ need: 'pkix' })).toBe('good');
    expect(resumed({ need: 'dane', dane })).toBeUndefined();
    memory.keepSession({ host }, Buffer.from('dane'), { verdict: 'dane', pkix: false, dane: 'k' });
    expect(resumed({ need: 'dane', dane })).toBe('dane');
    expect(resumed({ need: 'dane', dane: { ...dane, key: 'other' } })).toBeUndefined();
    expect(resumed({ need: 'pkix' })).toBe('good');
  });
});

describe('destinations', () => {
  it('with the same hosts share connections, in any order', () => {
    const host = (name: string) => ({ name, preference: 10, addresses: [] });
    expect(hostsKey({ hosts: [host('B.test'), host('a.test')], port: 25 })).toBe('a.test,b.test');
    expect(hostsKey({ hosts: [host('a.test'), host('b.test')], port: 25 })).toBe('a.test,b.test');
  });
});
