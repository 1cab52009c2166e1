import { describe, expect, it } from 'vitest';
import { Pepper, randomText, SecretBox } from './index.js';

const OLD = 'an-old-key-that-is-long-enough-to-use';
const NEW = 'a-new-key-that-is-long-enough-to-use!';

describe('SecretBox', () => {
  it('opens what it sealed, only for what it belongs to', () => {
    const box = new SecretBox([NEW]);
    const sealed = box.seal('hush', 'webhook/1');
    expect(sealed).not.toContain('hush');
    expect(box.open(sealed, 'webhook/1')).toBe('hush');
    expect(() => box.open(sealed, 'webhook/2')).toThrow(/no key/);
  });

  it('still opens what an older key sealed', () => {
    const sealed = new SecretBox([OLD]).seal('hush', 'x');
    expect(new SecretBox([NEW, OLD]).open(sealed, 'x')).toBe('hush');
    expect(() => new SecretBox([NEW]).open(sealed, 'x')).toThrow();
  });

  it('refuses keys that are too short', () => {
    expect(() => new SecretBox(['short'])).toThrow(/32 characters/);
    expect(() => new SecretBox([])).toThrow(/empty/);
  });

  it.each(['', 'v1.', 'v1.AAAA', 'nonsense'])('refuses %j', (text) => {
    expect(() => new SecretBox([NEW]).open(text, 'x')).toThrow();
  });
});

describe('Pepper', () => {
  it('hashes under the current key and finds under every key', () => {
    const before = new Pepper([OLD]).hash('pm-sk-1');
    expect(new Pepper([NEW, OLD]).candidates('pm-sk-1')).toContainEqual(before);
    expect(new Pepper([NEW, OLD]).hash('pm-sk-1')).not.toEqual(before);
  });
});

describe('Pepper.matches', () => {
  const pepper = new Pepper([NEW, OLD]);
  it.each([
    ['the hash of the current key', 'hush', pepper.hash('hush'), true],
    ['the hash of an older key', 'hush', new Pepper([OLD]).hash('hush'), true],
    ['the hash of a key that is accepted no more', 'hush', new Pepper([`${OLD}!`]).hash('hush'), false],
    ['the hash of another secret', 'hush', pepper.hash('Hush'), false],
    ['no hash', 'hush', undefined, false],
    ['what is no hash', '', Buffer.alloc(0), false],
    ['the hash that stands for nobody', 'hush', Buffer.alloc(32), false],
  ])('compares with %s', (_what, secret, hash, same) => expect(pepper.matches(secret, hash)).toBe(same));
});

describe('randomText', () => {
  it('has the asked length and alphabet and does not repeat', () => {
    expect(randomText(64)).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(randomText(20, 'ab')).toMatch(/^[ab]{20}$/);
    expect(randomText(32)).not.toBe(randomText(32));
  });
});
