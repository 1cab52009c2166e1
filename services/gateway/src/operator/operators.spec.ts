import { describe, expect, it } from 'vitest';
import { Operators } from './operators.js';

const first = 'pm-op-a-token-of-an-operator';
const oncalls = 'a-token-of-oncall-alone';
const operators = Operators.fromSettings({
  operatorToken: first,
  operatorTokens: [{ name: 'oncall', token: oncalls }],
});

describe('operators', () => {
  it.each([
    [first, 'operator'],
    [oncalls, 'oncall'],
    ['', undefined],
    [`${oncalls}x`, undefined],
    [oncalls.slice(1), undefined],
  ])('%s is %s', (token, name) => {
    expect(operators.nameOf(token)).toBe(name);
  });

  it('do not exist without a token', () => {
    const nobody = Operators.fromSettings({ operatorToken: undefined, operatorTokens: [] });
    expect([nobody.areNone, operators.areNone, nobody.nameOf('')]).toEqual([true, false, undefined]);
  });

  it('cannot share a token', () => {
    const settings = { operatorToken: oncalls, operatorTokens: [{ name: 'oncall', token: oncalls }] };
    expect(() => Operators.fromSettings(settings)).toThrow(
      /^POSTMESH_OPERATOR_TOKENS: two operators have the same token$/,
    );
  });
});
