import { describe, expect, it } from 'vitest';
import { loadSettings, redactedSettings, SettingsError } from './load.js';

const TOKEN = 'a-token-of-16-and-more';
const read = (text: string) => loadSettings({ POSTMESH_OPERATOR_TOKENS: text }).operatorTokens;

describe('operators by name', () => {
  it('are none, one or many', () => {
    expect(read('')).toEqual([]);
    expect(read(`oncall:${TOKEN}`)).toEqual([{ name: 'oncall', token: TOKEN }]);
    expect(read(` oncall:${TOKEN}, billing@example.test:${TOKEN}:2 ,`)).toEqual([
      { name: 'oncall', token: TOKEN },
      { name: 'billing@example.test', token: `${TOKEN}:2` },
    ]);
  });

  it.each([
    [TOKEN, 'the given value must be a list of name:token: entry 1 has no colon'],
    [`:${TOKEN}`, 'entry 1 needs a name of'],
    [`a b:${TOKEN}`, 'entry 1 needs a name of'],
    [`${'n'.repeat(65)}:${TOKEN}`, 'entry 1 needs a name of'],
    [
      `oncall:${TOKEN},Operator:${TOKEN}2`,
      'entry 2 has the name operator, which belongs to POSTMESH_OPERATOR_TOKEN',
    ],
    ['oncall:short', 'entry 1 needs a token of'],
    ['oncall:', 'entry 1 needs a token of'],
    ['oncall:with a space inside', 'entry 1 needs a token of'],
    [`oncall:${TOKEN},ONCALL:${TOKEN}2`, 'entry 2 has the name of an entry before it'],
    [`oncall:${TOKEN},billing:${TOKEN}`, 'entry 2 has the token of an entry before it'],
  ])('%s: %s', (text, problem) => {
    expect(() => read(text)).toThrow(problem);
    expect(() => read(text)).toThrow(SettingsError);
  });

  it('keep their tokens out of errors and prints', () => {
    const given = loadSettings({ POSTMESH_OPERATOR_TOKENS: `oncall:${TOKEN}` });
    expect(JSON.stringify(redactedSettings(given))).not.toContain(TOKEN);
    let message = '';
    try {
      read(`oncall:${TOKEN},billing:${TOKEN}`);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('POSTMESH_OPERATOR_TOKENS');
    expect(message).not.toContain(TOKEN);
  });
});
