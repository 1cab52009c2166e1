import { describe, expect, it } from 'vitest';
import { expandDomainSpec, onlySpf, parseSpf } from './spf-record.rules.js';

describe('the syntax of an SPF record (RFC 7208 §4.6)', () => {
  it.each([
    ['all:x'],
    ['include'],
    ['include:'],
    ['exists'],
    ['ip4/24'],
    ['ip4:192.0.2'],
    ['ip4:192.0.2.1/33'],
    ['ip4:2001:db8::1'],
    ['ip6:192.0.2.1'],
    ['ip6:2001:db8::/129'],
    ['a:'],
    ['a/33'],
    ['mx//129'],
    ['redirect='],
    ['!a'],
    ['++a'],
    ['include:%{x}.test'],
    ['include:%{d0}.test'],
    ['include:50%.test'],
    ['include:schön.test'],
    ['a\tmx'],
  ])('refuses %j and names it', (term) => {
    expect(parseSpf(`v=spf1 ip4:192.0.2.1 ${term} -all`)).toEqual({ term });
  });

  it('reads qualifiers and targets', () => {
    expect(parseSpf('v=spf1  a/24 ~mx:x.test//64 -include:B.test ip6:2001:db8::/32 ?all ')).toEqual({
      directives: [
        { qualifier: '+', mechanism: 'a', target: undefined },
        { qualifier: '~', mechanism: 'mx', target: 'x.test' },
        { qualifier: '-', mechanism: 'include', target: 'B.test' },
        { qualifier: '+', mechanism: 'ip6', target: undefined },
        { qualifier: '?', mechanism: 'all', target: undefined },
      ],
      redirect: undefined,
    });
  });

  it('reads redirect and passes over unknown modifiers', () => {
    expect(parseSpf('V=SPF1 note=x REDIRECT=b.test')).toEqual({ directives: [], redirect: 'b.test' });
  });

  it('is one record, or none counts', () => {
    expect(onlySpf(['hello', 'v=spf1 -all'])).toBe('v=spf1 -all');
    expect(onlySpf(['v=spf1 -all', 'v=spf1'])).toBeUndefined();
    expect(onlySpf(['v=spf10 -all'])).toBeUndefined();
  });
});

describe('a macro (RFC 7208 §7)', () => {
  it.each([
    ['%{d}.x.test', 'mail.a.test.x.test'],
    ['%{O}.x.test.', 'a.test.x.test'],
    ['%{d2}.x.test', 'a.test.x.test'],
    ['%{dr}.x.test', 'test.a.mail.x.test'],
    ['%{d1r}.x.test', 'mail.x.test'],
    ['a%%b%-.test', 'a%b%20.test'],
    [`${'long-label.'.repeat(30)}test`, `${'long-label.'.repeat(22)}test`],
  ])('%s names %s', (spec, name) => {
    const expanded = expandDomainSpec(spec, { domain: 'mail.a.test', sender: 'a.test' });
    expect(expanded).toEqual({ kind: 'name', name });
  });

  it.each([
    ['%{i}.x.test', 'per-message'],
    ['%{l}.x.test', 'per-message'],
    ['%{ir}.%{v}._spf.%{d2}', 'per-message'],
    ['%{c}.x.test', 'malformed'],
    ['%(d).test', 'malformed'],
  ])('%s is %s', (spec, kind) => {
    expect(expandDomainSpec(spec, { domain: 'a.test', sender: 'a.test' }).kind).toBe(kind);
  });
});
