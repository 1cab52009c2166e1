import { describe, expect, it } from 'vitest';
import { Operators } from './operators.js';

const first = 'pm-op-a-token-of-an-operator';
const annas = 'a-token-of-anna-herself';
const operators = Operators.fromSettings({
  operatorToken: first,
  operatorTokens: [{ name: 'anna', token: annas }],
});

describe('operators', () => {
  it.each([
    [first, 'operator'],
    [annas, 'anna'],
    ['', undefined],
    [`${annas}x`, undefined],
    [annas.slice(1), undefined],
  ])('%s is %s', (token, name) => {
    expect(operators.nameOf(token)).toBe(name);
  });

  it('are none without a token', () => {
    const nobody = Operators.fromSettings({ operatorToken: undefined, operatorTokens: [] });
    expect([nobody.areNone, operators.areNone, nobody.nameOf('')]).toEqual([true, false, undefined]);
  });

  it('cannot share a token', () => {
    const settings = { operatorToken: annas, operatorTokens: [{ name: 'anna', token: annas }] };
    expect(() => Operators.fromSettings(settings)).toThrow(
      /^POSTMESH_OPERATOR_TOKENS: a token there is that of another operator$/,
    );
  });
});
