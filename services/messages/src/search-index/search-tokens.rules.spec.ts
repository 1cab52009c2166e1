import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldSubject, recipientToken, subjectTokens, tokenGroups } from './search-tokens.rules.js';

describe('tokens of a subject', () => {
  it('are its stretches of three characters, and the rest at the end', () => {
    expect(subjectTokens('Order')).toEqual(['gord', 'grde', 'gder', 'ger', 'gr']);
    expect(subjectTokens('a')).toEqual(['ga']);
    expect(subjectTokens('')).toEqual([]);
    expect(subjectTokens('aaaaa')).toEqual(['gaaa', 'gaa', 'ga']);
    expect(subjectTokens('x😀y')).toEqual(['gx😀y', 'g😀y', 'gy']);
  });

  it('match every part of it, of any length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.nat(60),
        fc.integer({ min: 1, max: 40 }),
        (subject, from, length) => {
          const characters = [...foldSubject(subject)];
          const part = characters.slice(from, from + length).join('');
          if (part === '') return;
          const tokens = subjectTokens(subject);
          for (const { tokens: wanted = [], prefix } of tokenGroups({ subject: part })) {
            const fits = tokens.some(
              (token) => wanted.includes(token) || (prefix !== undefined && token.startsWith(prefix)),
            );
            expect([part, wanted, prefix, fits]).toEqual([part, wanted, prefix, true]);
          }
        },
      ),
    );
  });
});

describe('a search', () => {
  it('is a group of tokens for each filter', () => {
    expect(tokenGroups({})).toEqual([]);
    expect(
      tokenGroups({
        domains: ['a.test', 'b.test'],
        sender: 'X@a.test',
        statuses: ['Bounced', 'Failed'],
        tags: ['Red'],
        subject: 'abcd',
      }),
    ).toEqual([
      { tokens: ['da.test', 'db.test'] },
      { tokens: ['sx@a.test'] },
      { tokens: ['xBounced', 'xFailed'] },
      { tokens: ['tRed'] },
      { tokens: ['gabc'] },
      { tokens: ['gbcd'] },
    ]);
    expect(tokenGroups({ subject: 'ab' })).toEqual([{ prefix: 'gab' }]);
  });

  it('of a recipient reads one of 64 tokens, in any spelling', () => {
    const { token, hash } = recipientToken('ann@mail.test');
    expect(recipientToken('Ann@Mail.test')).toEqual({ token, hash });
    expect(token).toMatch(/^r([0-9]|[1-5][0-9]|6[0-3])$/);
    expect(tokenGroups({ recipient: 'ann@mail.test' })).toEqual([{ tokens: [token], hash }]);
  });

  it('of a long part is bounded', () => {
    expect(tokenGroups({ subject: Array.from({ length: 300 }, (_, at) => at).join() })).toHaveLength(24);
  });
});
