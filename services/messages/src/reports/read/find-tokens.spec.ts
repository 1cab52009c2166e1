import { feedbackAddress, verpAddress } from '@postmesh/mail-format';
import { describe, expect, it } from 'vitest';
import { readReport } from './read-report.js';
import type { ReportToken } from './report.js';
import { reencode } from './testing/reencode.js';
import { SAMPLE_KEY, SAMPLE_RECORD } from './testing/samples.js';

const BOUNCE = verpAddress(SAMPLE_RECORD, 'rp.shop.test', SAMPLE_KEY);
const FEEDBACK = feedbackAddress(SAMPLE_RECORD, 'rp.shop.test', SAMPLE_KEY);
const [LOCAL = ''] = BOUNCE.split('@');

function tokensIn(raw: string | Buffer, keys = [SAMPLE_KEY]): readonly ReportToken[] {
  const bytes = typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw;
  return readReport(bytes, { keys }).tokens;
}

const bounce = { kind: 'bounce', recordId: SAMPLE_RECORD };
const feedback = { kind: 'feedback', recordId: SAMPLE_RECORD };

const HEAD = 'From: reporter@mail.test\r\n';
const enclosed = (header: string): string =>
  `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${header}\r\n\r\nHello\r\n--b--\r\n`;

describe('a token', () => {
  it.each([
    ['the Return-Path of an enclosed message', `Return-Path: <${BOUNCE}>`],
    ['capitals', `Return-Path: <${BOUNCE.toUpperCase()}>`],
    [
      'an address rewritten by a forwarder (SRS)',
      `Return-Path: <SRS0=x7Qa=ZB=rp.shop.test=${LOCAL}@fwd.test>`,
    ],
    ['one rewritten twice', `Return-Path: <SRS1=aB1c=fwd.test==x7Qa=ZB=rp.shop.test=${LOCAL}@fwd2.test>`],
    ['one signed by its sender (BATV)', `Return-Path: <prvs=01234567ab=${BOUNCE}>`],
    ['one within another VERP', `Return-Path: <list-bounces+${BOUNCE.replace('@', '=')}@lists.test>`],
    ['a link', `List-Unsubscribe: <https://mail.test/u?from=${encodeURIComponent(BOUNCE)}>`],
    ['a folded field', `Received: from a.test\r\n\tby b.test (envelope-from\r\n\t<${BOUNCE}>)`],
    ['any other header', `X-Original-Envelope-From: ${BOUNCE}`],
  ])('is found in %s', (_where, header) => {
    expect(tokensIn(enclosed(header))).toEqual([bounce]);
    expect(tokensIn(reencode(Buffer.from(enclosed(header)), 'base64'))).toEqual([bounce]);
    expect(tokensIn(reencode(Buffer.from(enclosed(header)), 'quoted-printable'))).toEqual([bounce]);
  });

  it.each([
    ['a text', `Content-Type: text/plain\r\n\r\nIt was from ${BOUNCE}.`],
    [
      'a text with undeclared soft line breaks',
      `\r\nReturn-Path: <${LOCAL.slice(0, 20)}=\r\n${LOCAL.slice(20)}@rp.shop.test>`,
    ],
    ['HTML', `Content-Type: text/html\r\n\r\n<p>${BOUNCE.replace('+', '&#43;')}</p>`],
    [
      'a text in base64',
      `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(`x ${BOUNCE} x`).toString('base64')}`,
    ],
  ])('is found in %s', (_where, message) => expect(tokensIn(HEAD + message)).toEqual([bounce]));

  it('is found in headers after a long text', () => {
    expect(
      tokensIn(
        `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${'long '.repeat(2_000_000)}\r\n${enclosed(`Return-Path: <${BOUNCE}>`).slice(HEAD.length).split('\r\n\r\n').slice(1).join('\r\n\r\n')}`,
      ),
    ).toEqual([bounce]);
  });

  it('is returned once, and of both kinds', () => {
    const header = `Return-Path: <${BOUNCE}>\r\nCFBL-Address: ${FEEDBACK}; report=arf\r\nErrors-To: ${BOUNCE.toUpperCase()}`;
    expect(tokensIn(enclosed(header))).toEqual([bounce, feedback]);
  });

  it('may be of an older key', () => {
    expect(tokensIn(enclosed(`Return-Path: <${BOUNCE}>`), ['new key', SAMPLE_KEY])).toEqual([bounce]);
  });

  it.each([
    ['of another key', verpAddress(SAMPLE_RECORD, 'rp.shop.test', 'another key')],
    ['with another character', BOUNCE.replace(/.@/, (end) => (end[0] === 'a' ? 'b@' : 'a@'))],
    ['that is longer', `${LOCAL}a@rp.shop.test`],
    ['of the other kind', BOUNCE.replace('b+', 'fbl+')],
  ])('%s is none', (_what, address) => expect(tokensIn(enclosed(`Return-Path: <${address}>`))).toEqual([]));

  it('after hundreds of forged ones is not searched', () => {
    const forged = Array.from(
      { length: 300 },
      (_, at) =>
        `b+${at
          .toString(32)
          .replace(/[^a-z2-7]/g, 'z')
          .padStart(3, 'a')}${'a'.repeat(39)}`,
    );
    expect(new Set(forged).size).toBeGreaterThan(200);
    expect(tokensIn(`${HEAD}\r\n${forged.join('\r\n')}\r\n${BOUNCE}`)).toEqual([]);
  });
});
