import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { fieldBytes, readRawMessage } from './raw-message.js';
import { hasLongLine, recodeMessage } from './recode-message.js';

const FROM = 'From: a@shop.test';
const bytesOf = (lines: readonly (string | Buffer)[]) =>
  Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\r\n')])));

function recode(lines: readonly (string | Buffer)[], smtpUtf8 = false) {
  const read = readRawMessage(bytesOf(lines));
  if (!read.ok) throw new Error(read.problem);
  const recoded = recodeMessage(read.message, { smtpUtf8 });
  if (!recoded.ok) return { problem: recoded.problem, text: '', head: '' };
  const head = fieldBytes(recoded.message.fields).toString();
  const body = Buffer.concat(recoded.message.body);
  return { problem: undefined, head, text: Buffer.concat([Buffer.from(`${head}\r\n`), body]).toString() };
}
const headOf = (...fields: (string | Buffer)[]) => {
  const { head, problem } = recode([FROM, ...fields, '', 'x']);
  return problem ?? head.slice(FROM.length + 2);
};

describe('spec 2-messages §13 rule 5: headers of a client', () => {
  it('stay as they are, byte for byte, where any server takes them', () => {
    const fields = [
      'To: "Bee, Ann"  <Ann@mail.test>,',
      '\tbob@mail.test (Bob)',
      'Date: Mon,  5 Jan 2026 08:00:00 +0100 (CET)',
      'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
      'Cc: undisclosed-recipients:;',
      'In-Reply-To: Your message of <1@mail.test>',
      'X-Odd:   spaces  ',
    ];
    expect(headOf(...fields)).toBe(fields.map((line) => `${line}\r\n`).join(''));
  });

  it.each([
    ['Subject: Káva týden', 'Subject: =?UTF-8?B?S8OhdmEgdMO9ZGVu?='],
    [Buffer.from('Subject: Grüße €'.replace('€', '\x80'), 'latin1'), 'Subject: =?UTF-8?B?R3LDvMOfZSDigqw=?='],
    ['To: Zoë <zoe@mail.test>, b@mail.test', 'To: =?UTF-8?B?Wm/Dqw==?= <zoe@mail.test>, b@mail.test'],
    ['Content-Type: text/plain; name="ü.txt"', "Content-Type: text/plain; name*0*=utf-8''%C3%BC.txt"],
    ['Received: from größe by relay; x', 'Received: from gr??e by relay; x'],
    ['Date: 2026-01-05T08:00:00+01:00', 'Date: Mon, 05 Jan 2026 07:00:00 +0000'],
    ['Date: 5 Jan 2026 08:00:00 EST', 'Date: Mon, 05 Jan 2026 13:00:00 +0000'],
    ['To: root', 'To: "root":;'],
    ['Cc: ann@mail.test; bob@mail.test', 'Cc: ann@mail.test, bob@mail.test'],
    ['Cc: ann@mail.test bob', 'Cc: "ann@mail.test bob":;'],
  ])('are mended: %s', (given, text) => expect(headOf(given)).toBe(`${text}\r\n`));

  it.each(['Date: yesterday', 'Date: 5', 'Reply-To: not an address', 'To:', 'Cc: ,', 'Sender: me'])(
    'go where they say nothing that can be read: %s',
    (given) => expect(headOf(given)).toBe(''),
  );

  it.each([
    ['Reply-To: jürgen@mail.test', /^its header 'Reply-To' must not have an address beyond ASCII/],
    ['List-Unsubscribe: <https://x.test/ü>', /^its header 'List-Unsubscribe' must be plain ASCII/],
    [`List-Help: <https://x.test/${'a'.repeat(1_000)}>`, /too long for one line/],
  ])('are refused where they would mean something else: %s', (given, problem) =>
    expect(headOf(given)).toMatch(problem),
  );

  it('stay in UTF-8 with SMTPUTF8, but not in another charset', () => {
    const utf8 = ['To: Jürgen <jürgen@mail.test>', 'Subject: Grüße'];
    expect(recode([FROM, ...utf8, '', 'x'], true).head).toBe(
      [FROM, ...utf8].map((line) => `${line}\r\n`).join(''),
    );
    const other = recode([FROM, Buffer.from('Subject: Grüße', 'latin1'), '', 'x'], true);
    expect(other.head).toContain('Subject: =?UTF-8?B?R3LDvMOfZQ==?=');
  });

  it('are folded where a line is too long', () => {
    const ids = Array.from({ length: 60 }, (_, nth) => `<${nth}-${'x'.repeat(30)}@mail.test>`).join(' ');
    const head = headOf(`References: ${ids}`);
    expect(head.replaceAll('\r\n ', ' ')).toBe(`References: ${ids}\r\n`);
    expect(hasLongLine(Buffer.from(head))).toBe(false);
  });
});

describe('spec 2-messages §13 rule 5: lines of more than 998 octets', () => {
  const LONG = `${'größer '.repeat(400)}end`;
  const parsed = async (lines: readonly string[]) => {
    const { text, problem } = recode(lines);
    expect(problem).toBeUndefined();
    expect(hasLongLine(Buffer.from(text))).toBe(false);
    return { text, mail: await PostalMime.parse(text) };
  };

  it('are recoded in a message without parts, which becomes MIME', async () => {
    const { text, mail } = await parsed([FROM, '', 'x'.repeat(2_500), 'short']);
    expect(mail.text).toBe(`${'x'.repeat(2_500)}\nshort\n`);
    expect(text).toContain('MIME-Version: 1.0\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n');
  });

  it('are recoded in the parts that have them, in any encoding', async () => {
    const file = Buffer.from('a file '.repeat(500));
    const { text, mail } = await parsed([
      ...[FROM, 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', ''],
      ...['--b', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', '', LONG],
      ...['--b', 'Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: Quoted-Printable', ''],
      ...[`<p>${'=C3=BC'.repeat(300)}</p>`],
      ...['--b', 'Content-Type: application/x-a; name="größe.bin"', 'Content-Transfer-Encoding: base64', ''],
      ...[file.toString('base64')],
      ...['--b', 'Content-Type: application/x-b', '', file.toString()],
      ...['--b', 'Content-Type: text/x-short', '', 'stays', '--b--'],
    ]);
    expect(mail.text).toContain(LONG);
    expect(mail.html).toContain(`<p>${'ü'.repeat(300)}</p>`);
    const [first, second] = mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer));
    expect(first?.equals(file)).toBe(true);
    expect(second?.toString().trim()).toBe(file.toString().trim());
    expect(mail.attachments[0]?.mimeType).toBe('application/x-a');
    expect(text).toContain(" name*0*=utf-8''gr%C3%B6%C3%9Fe.bin\r\n");
    expect(text).toContain('--b\r\nContent-Type: text/x-short\r\n\r\nstays\r\n--b--');
  });

  it.each([
    ['of signed parts', ['Content-Type: multipart/signed; boundary=b', '', '--b', '', LONG, '--b--']],
    ['of an enclosed message', ['Content-Type: message/rfc822', '', 'Subject: x', '', LONG]],
    ['between parts', ['Content-Type: multipart/mixed; boundary=b', '', LONG, '--b', '', 'x', '--b--']],
    ['in an unknown encoding', ['Content-Transfer-Encoding: x-uuencode', '', LONG]],
  ])('are refused %s', (_, lines) => {
    expect(recode([FROM, ...lines]).problem).toBe('a line is longer than 998 characters');
  });

  it('are found wherever they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(1_500), fc.integer({ min: 990, max: 1_005 })), { maxLength: 6 }),
        (sizes) => {
          const bytes = Buffer.from(sizes.map((size) => `${'x'.repeat(size)}\r\n`).join(''));
          expect(hasLongLine(bytes)).toBe(sizes.some((size) => size > 998));
          expect(hasLongLine(bytes.subarray(0, -2))).toBe(sizes.some((size) => size > 998));
        },
      ),
    );
  });
});
