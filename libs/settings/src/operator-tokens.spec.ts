import { describe, expect, it } from 'vitest';
import { loadSettings, redactedSettings, SettingsError } from './load.js';

const TOKEN = 'a-token-of-16-and-more';
const read = (text: string) => loadSettings({ POSTMESH_OPERATOR_TOKENS: text }).operatorTokens;

describe('operators by name', () => {
  it('are none, one or many', () => {
    expect(read('')).toEqual([]);
    expect(read(`anna:${TOKEN}`)).toEqual([{ name: 'anna', token: TOKEN }]);
    expect(read(` anna:${TOKEN}, bert@example.test:${TOKEN}:2 ,`)).toEqual([
      { name: 'anna', token: TOKEN },
      { name: 'bert@example.test', token: `${TOKEN}:2` },
    ]);
  });

  it.each([
    [TOKEN, 'the given value must be a list of name:token: entry 1 has no colon'],
    [`:${TOKEN}`, 'entry 1 needs a name of'],
    [`a b:${TOKEN}`, 'entry 1 needs a name of'],
    [`${'n'.repeat(65)}:${TOKEN}`, 'entry 1 needs a name of'],
    [
      `anna:${TOKEN},Operator:${TOKEN}2`,
      'entry 2 has the name operator, which belongs to POSTMESH_OPERATOR_TOKEN',
    ],
    ['anna:short', 'entry 1 needs a token of'],
    ['anna:', 'entry 1 needs a token of'],
    ['anna:with a space inside', 'entry 1 needs a token of'],
    [`anna:${TOKEN},ANNA:${TOKEN}2`, 'entry 2 has the name of an entry before it'],
    [`anna:${TOKEN},bert:${TOKEN}`, 'entry 2 has the token of an entry before it'],
  ])('%s: %s', (text, problem) => {
    expect(() => read(text)).toThrow(problem);
    expect(() => read(text)).toThrow(SettingsError);
  });

  it('keep their tokens out of errors and prints', () => {
    const given = loadSettings({ POSTMESH_OPERATOR_TOKENS: `anna:${TOKEN}` });
    expect(JSON.stringify(redactedSettings(given))).not.toContain(TOKEN);
    let message = '';
    try {
      read(`anna:${TOKEN},bert:${TOKEN}`);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('POSTMESH_OPERATOR_TOKENS');
    expect(message).not.toContain(TOKEN);
  });
});
