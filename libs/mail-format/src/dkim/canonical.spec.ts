import { describe, expect, it } from 'vitest';
import { canonicalField, prepareBody, splitHeaders } from './canonicalization.js';

describe('canonical forms', () => {
  it('are those of RFC 6376 §3.4.5', () => {
    const fields = splitHeaders(Buffer.from('A: X\r\nB : Y\t\r\n\tZ  \r\n'));
    expect(fields.map((field) => canonicalField(field, 'relaxed'))).toEqual(['a:X', 'b:Y Z']);
    expect(fields.map((field) => canonicalField(field, 'simple'))).toEqual(['A: X', 'B : Y\t\r\n\tZ  ']);
    const body = Buffer.from(' C \r\nD \t E\r\n\r\n\r\n');
    const same = (text: string) => prepareBody([Buffer.from(text)], 'simple').bodyHash;
    expect(prepareBody([body], 'relaxed').bodyHash).toBe(same(' C\r\nD E\r\n'));
    expect(prepareBody([body], 'simple').bodyHash).toBe(same(' C \r\nD \t E\r\n'));
  });

  it('of a field have one blank for each run of blanks, and no other character less', () => {
    const canonicalOf = (text: string) => canonicalField({ name: 'x', text: `X:${text}` }, 'relaxed');
    expect(canonicalOf(' a b ')).toBe('x:a b');
    expect(canonicalOf('\ta  b\t c\t\td \r\n\t e')).toBe('x:a b c d e');
    expect(canonicalOf('a\r\n b\u00a0')).toBe('x:a b\u00a0');
    expect(canonicalOf('  \t ')).toBe('x:');
  });

  it('give the body hash of RFC 8463 Appendix A', () => {
    const body = 'Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n\r\n';
    expect(prepareBody([Buffer.from(body)]).bodyHash).toBe('2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=');
  });
});
