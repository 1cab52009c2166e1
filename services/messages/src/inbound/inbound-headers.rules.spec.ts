import { describe, expect, it } from 'vitest';
import { isForgedResult, readHeaderBlock, summaryOf } from './inbound-headers.rules.js';
import { traceFields } from './trace-fields.rules.js';

const block = (text: string) => readHeaderBlock(Buffer.from(text, 'latin1'));

describe('the header of an inbound message', () => {
  it.each([
    ['A: 1\r\nB: 2\r\n x\r\n\r\nbody', ['a', 'b'], 16],
    ['A: 1\nB: 2\n\nbody', ['a', 'b'], 10],
    ['A: 1\r\nB: 2', ['a', 'b'], 10],
    ['', [], 0],
    ['\r\nbody', [], 0],
    ['text\r\n\r\nbody', [''], 6],
  ])('of %j is read with every byte', (text, names, bodyAt) => {
    const { lines, ...read } = block(text);
    expect(lines.map(({ name }) => name)).toEqual(names);
    expect(read.bodyAt).toBe(bodyAt);
    expect(lines.map((line) => line.text).join('')).toBe(text.slice(0, bodyAt));
  });

  it.each([
    ['Authentication-Results: mx.postmesh.test; spf=pass', true],
    ['authentication-results:MX.POSTMESH.TEST;spf=pass', true],
    ['Authentication-Results:\r\n mx.postmesh.test 1; spf=pass', true],
    ['Authentication-Results: (c) "mx.postmesh.test"; spf=pass', true],
    ['Authentication-Results: mx.postmesh.test.evil.test; spf=pass', false],
    ['Authentication-Results: other.test; x=mx.postmesh.test', false],
    ['X-Authentication-Results: mx.postmesh.test; spf=pass', false],
  ])('detects whether %j is in our name (RFC 8601 §5)', (text, forged) => {
    const [line] = block(`${text}\r\n`).lines;
    expect(line && isForgedResult(line, 'mx.postmesh.test')).toBe(forged);
  });

  it('shows author, subject and Message-ID, with any content', () => {
    const odd = 'From: =?x\r\nSubject: =?UTF-8?B?zz?= \r\nMessage-ID: none\r\n\r\n';
    expect(summaryOf(Buffer.from(odd))).toMatchObject({ author: '', messageId: '' });
    const long = `From: ${'a@b.test, '.repeat(100_000)}\r\nSubject: ${'x'.repeat(100_000)}\r\n\r\n`;
    const { author, subject } = summaryOf(Buffer.from(long));
    expect([author, subject.length <= 998]).toEqual(['a@b.test', true]);
  });
});

describe('our trace', () => {
  const facts = {
    host: 'mx.postmesh.test',
    session: { id: 's1', client_ip: '2001:db8::1', helo: 'mail.test', tls: null },
    sender: '',
    receivedAt: new Date('2026-01-05T11:00:00Z'),
    authenticationResults: 'Authentication-Results: mx.postmesh.test;\r\n spf=none',
  };

  it('is Return-Path, Received and Authentication-Results (RFC 5321 §4.4)', () => {
    expect(traceFields(facts)).toBe(
      [
        'Return-Path: <>',
        'Received: from mail.test ([IPv6:2001:db8::1]) by mx.postmesh.test with ESMTP',
        ' id s1; Mon, 05 Jan 2026 11:00:00 +0000',
        'Authentication-Results: mx.postmesh.test;',
        ' spf=none',
        '',
      ].join('\r\n'),
    );
  });

  it('has no line from the text of a client', () => {
    const session = { ...facts.session, helo: 'x (y)\r\nX-Evil: 1', tls: 'TLSv1.3\r\nX: 1' };
    const trace = traceFields({ ...facts, session, sender: 'a\r\nX: 1@mail.test' });
    expect(trace.match(/\n(?![ \t])\S*:/g)).toHaveLength(2);
  });
});
