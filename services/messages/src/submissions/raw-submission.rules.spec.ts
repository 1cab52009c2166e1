import { describe, expect, it } from 'vitest';
import { messageOf } from '../testing/submissions-under-test.js';
import { readSubmission, tracedMessage } from './raw-submission.rules.js';

const PREFIXES = ['postmesh', 'X-Old'];
const read = (...lines: string[]) =>
  readSubmission(Buffer.from(messageOf(...lines)), { controlPrefixes: PREFIXES, smtpUtf8: false });
const submissionOf = (...lines: string[]) => {
  const result = read(...lines);
  if (!result.ok) throw new Error(result.reply.text);
  return result.submission;
};
const storedOf = (...lines: string[]) =>
  Buffer.concat(
    tracedMessage(submissionOf(...lines), {
      id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      host: 'smtp.mail.test',
      receivedAt: new Date('2026-01-05T08:00:00Z'),
      messageId: '<ours@shop.test>',
    }),
  ).toString();

const FROM = 'From: Shop <News@Shop.test>';

describe('spec 2-messages §13 rule 8: the stored form of a message', () => {
  it('has our trace field on top, and a Message-ID and a date where there were none', () => {
    expect(storedOf(FROM, 'Subject: x', '', 'text')).toBe(
      messageOf(
        'Received: by smtp.mail.test with ESMTPSA id',
        ' 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01; Mon, 05 Jan 2026 08:00:00 +0000',
        FROM,
        'Subject: x',
        'Date: Mon, 05 Jan 2026 08:00:00 +0000',
        'Message-ID: <ours@shop.test>',
        '',
        'text',
      ),
    );
  });

  it('keeps the fields of the client, including its signature and trace', () => {
    const given = [
      'Received: from laptop by relay; x',
      'DKIM-Signature: v=1; d=shop.test;',
      '\tb=abc',
      FROM,
      'Message-ID: <client@shop.test>',
      'Date: Mon, 5 Jan 2026 07:00 GMT',
      'X-Odd:   spaces  ',
      'Resent-From: a@b.test',
      '',
      '..',
      '',
    ];
    const stored = storedOf(...given);
    expect(stored.slice(stored.indexOf('Received: from laptop'))).toBe(messageOf(...given));
  });

  it('spec 2-messages §13 rule 5: has our date instead of an invalid one, and lines within the limit', () => {
    const stored = storedOf(FROM, 'Date: yesterday', 'Subject: Grüße', '', 'x'.repeat(2_000));
    expect(stored.match(/^Date: .*$/gm)).toEqual(['Date: Mon, 05 Jan 2026 08:00:00 +0000']);
    expect(stored).toContain('\r\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n');
    expect(Math.max(...stored.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });

  it('hides other recipients, and fields for us alone', () => {
    const stored = storedOf(
      FROM,
      'Bcc: boss@corp.test,',
      ' eve@mail.test',
      'bCC: more@corp.test',
      'Resent-Bcc: x@corp.test',
      'Return-Path: <x@corp.test>',
      'Feedback-ID: forged',
      'CFBL-Address: forged@evil.test; report=arf',
      'CFBL-Feedback-ID: forged',
      'Postmesh-Tags: a',
      'postmesh-unknown: b',
      'X-Old-Sandbox: maybe',
      'X-Older: stays',
      '',
      'Bcc: in the text',
    );
    expect(stored).not.toMatch(/corp\.test|forged|postmesh-|x-old-/i);
    expect(stored).toContain('X-Older: stays\r\n');
    expect(stored).toContain('\r\n\r\nBcc: in the text\r\n');
  });

  it.each(['client@shop.test', '<a b@shop.test>', '<>', '', '<é@shop.test>'])(
    'has our Message-ID instead of an invalid one: %j',
    (messageId) => {
      const stored = storedOf(FROM, `Message-ID: ${messageId}`, '', 'text');
      expect(stored.match(/^Message-ID: .*$/gim)).toEqual(['Message-ID: <ours@shop.test>']);
    },
  );

  it('is complete without a body', () => {
    expect(storedOf(FROM)).toMatch(/\r\nMessage-ID: <ours@shop\.test>\r\n\r\n$/);
  });
});

describe('the summary of a message', () => {
  it('is its author, its subject and its Message-ID', () => {
    const long = `${'=?utf-8?Q?Gr=C3=BC=C3=9Fe?= '.repeat(3)}`;
    expect(submissionOf(FROM, `Subject: ${long}`, 'Message-ID: <client@shop.test>', '', 'x')).toMatchObject({
      author: { address: 'news@shop.test', domain: 'shop.test' },
      subject: 'GrüßeGrüßeGrüße',
      messageId: '<client@shop.test>',
    });
    expect(submissionOf(FROM, '', 'x')).toMatchObject({ subject: '', messageId: undefined });
  });

  it('has a subject of at most 998 characters', () => {
    expect(submissionOf(FROM, `Subject: ${'é'.repeat(2_000)}`, '').subject).toBe('é'.repeat(998));
  });

  it('spec 2-messages §13.5: control headers of all prefixes count, invalid ones do not', () => {
    const { controls } = submissionOf(
      FROM,
      'postmesh-track-opens: true',
      'POSTMESH-Track-Clicks: maybe',
      'x-old-sandbox: 1',
      'x-old-sandbox-result: explode',
      'postmesh-metadata-retention: 31',
      'postmesh-data-retention: 0',
      'postmesh-tags: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=, b',
      '',
    );
    expect(controls).toEqual({ trackOpens: true, sandbox: true, dataRetentionDays: 0, tags: ['Grüße', 'b'] });
  });
});

describe('a message is refused', () => {
  const replyTo = (...lines: string[]) => {
    const result = read(...lines);
    return result.ok ? undefined : [result.reply.code, result.reply.enhanced];
  };

  it.each([
    ['without an author', ['Subject: x', '']],
    ['with two authors', ['From: a@shop.test', 'From: b@shop.test', '']],
    ['with two authors in one header', ['From: a@shop.test, b@evil.test', '']],
    ['with a group for an author', ['From: undisclosed: a@shop.test;', '']],
    ['with an author beyond ASCII', ['From: gr\u00fc\u00dfe@shop.test', '']],
    ['with two subjects', [FROM, 'Subject: x', 'SUBJECT: y', '']],
    ['with two senders', [FROM, 'Sender: a@shop.test', 'Sender: b@shop.test', '']],
    ['with two Message-IDs', [FROM, 'Message-ID: <a@b>', 'Message-ID: <c@d>', '']],
    ['with two lists of ids', [FROM, 'References: <a@b>', 'References: <c@d>', '']],
    ['with an address that cannot be written', [FROM, 'Reply-To: gr\u00fc\u00dfe@shop.test', '']],
    ['with two types', [FROM, 'Content-Type: text/plain', 'Content-Type: text/html', '']],
    ['with a header that is none', [FROM, 'hello', '']],
    ['with a lone line end', [FROM, 'X-A: b\nBcc: c@d.test', '']],
    ['with a lone CR in its text', [FROM, '', 'a\rb']],
    ['with a NUL', [FROM, '', 'a\0b']],
  ])('%s: 552 5.6.0', (_, lines) => {
    expect(replyTo(...lines)).toEqual([552, '5.6.0']);
  });

  it('in a loop: 554 5.4.6', () => {
    const hops = (count: number) => Array.from({ length: count }, () => 'Received: x');
    expect(replyTo(...hops(50), FROM, '')).toBeUndefined();
    expect(replyTo(...hops(51), FROM, '')).toEqual([554, '5.4.6']);
  });
});
