import { describe, expect, test } from 'vitest';
import { fieldText, headerFields } from './message.rules.js';

const text = (raw: string, name: string): string => fieldText(headerFields(Buffer.from(raw)), name);

describe('a header field', () => {
  test.each([
    ['plain', 'Subject: Hello\r\n\r\nbody', 'Hello'],
    ['in any case', 'SUBJECT:Hello\r\n\r\n', 'Hello'],
    ['folded', 'Subject: one\r\n two\r\n\tthree\r\n\r\n', 'one two three'],
    ['encoded', 'Subject: =?utf-8?B?SsO2cmc=?= =?utf-8?Q?_M=C3=BCller?=\r\n\r\n', 'Jörg Müller'],
    ['in raw UTF-8', 'Subject: Jörg\r\n\r\n', 'Jörg'],
    ['twice: the first counts', 'Subject: a\r\nSubject: b\r\n\r\n', 'a'],
    ['only in the body', 'From: a@b.test\r\n\r\nSubject: no\r\n', ''],
    ['in a message without a body', 'Subject: end', 'end'],
    ['in an empty message', '', ''],
  ])('%s', (_kind, raw, expected) => {
    expect(text(raw, 'subject')).toBe(expected);
  });
});
