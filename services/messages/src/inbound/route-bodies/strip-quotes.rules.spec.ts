import { expect, describe, it } from 'vitest';
import { ANSWERS, OWN_WORDS, QUOTES } from './quoted-replies.fixture.js';
import { withoutQuotes } from './strip-quotes.rules.js';

describe('spec 2-messages §16 rule 5: the words of the sender', () => {
  it.each(QUOTES)('is left by %s', (_program, quote) => {
    for (const end of ['\n', '\r\n']) {
      const text = `Works.\n\nThanks, Zoe\n\n${quote}\n`.replaceAll('\n', end);
      expect(withoutQuotes(text)).toBe(`Works.${end}${end}Thanks, Zoe`);
    }
  });

  it.each(OWN_WORDS)('keeps the words of the sender: %s', (_what, text) => {
    for (const end of ['\n', '\r\n']) {
      const whole = text.replaceAll('\n', end);
      expect(withoutQuotes(whole)).toBe(whole);
      // an attribution without a quotation and one with it look alike
      if (text.endsWith(':')) continue;
      for (const [program, quote] of QUOTES.slice(0, 3)) {
        const reply = `${whole}${end}${end}${quote.replaceAll('\n', end)}${end}`;
        expect([program, withoutQuotes(reply)]).toEqual([program, whole]);
      }
    }
  });

  it.each(ANSWERS)('of a reply %s', (_where, text, own) => {
    for (const end of ['\n', '\r\n']) {
      expect(withoutQuotes(text.replaceAll('\n', end))).toBe(own.replaceAll('\n', end));
    }
  });

  it('of a quotation above the search limit keeps the text after it', () => {
    const quote = '> Does it work?\r\n'.repeat(40_000);
    expect(withoutQuotes(`On 1/5/26 11:59, Shop wrote:\r\n${quote}\r\nYes.\r\n`)).toBe('Yes.');
    expect(withoutQuotes(`Works.\r\n\r\n${quote}`)).toBe('Works.');
  });

  it('is found in time linear to the text', () => {
    const hostile = [
      'On 1 ',
      'On\n',
      'On 1 x:\n',
      '>',
      '> \n',
      'From: a\n',
      '-',
      '_',
      ' ',
      '<a> ',
      'a:\n',
      '\n',
    ];
    for (const piece of hostile) {
      expect(withoutQuotes(piece.repeat(Math.ceil(4_000_000 / piece.length))).length).toBeLessThanOrEqual(
        4_000_010,
      );
    }
  });
});
