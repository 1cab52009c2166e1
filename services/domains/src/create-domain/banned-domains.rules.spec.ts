import { describe, expect, it } from 'vitest';
import { isListed, readBanList } from './banned-domains.rules.js';

const LIST = readBanList('# spammers\r\nBad.test.  # since May\n\n  worse.example.com\n');

describe('the ban list', () => {
  it.each([
    ['bad.test', true],
    ['mail.bad.test', true],
    ['worse.example.com', true],
    ['example.com', false],
    ['notbad.test', false],
    ['bad.test.example', false],
  ])('%s: %s', (domain, expected) => {
    expect(isListed(LIST, domain)).toBe(expected);
  });

  it('names the line that is no domain', () => {
    expect(() => readBanList('bad.test\nnonsense\n')).toThrow('line 2 of the ban list is no domain name');
  });
});
