import { describe, expect, it } from 'vitest';
import { Pepper, randomText, SecretBox } from './index.js';

const OLD = 'an-old-key-that-is-long-enough-to-use';
const NEW = 'a-new-key-that-is-long-enough-to-use!';

describe('SecretBox', () => {
  it('opens a sealed secret with the same `about` text only', () => {
    const box = new SecretBox([NEW]);
    const sealed = box.seal('hush', 'webhook/1');
    expect(sealed).not.toContain('hush');
    expect(box.open(sealed, 'webhook/1')).toBe('hush');
    expect(() => box.open(sealed, 'webhook/2')).toThrow(/no key/);
  });

  it('opens a secret that an older key sealed', () => {
    const sealed = new SecretBox([OLD]).seal('hush', 'x');
    expect(new SecretBox([NEW, OLD]).open(sealed, 'x')).toBe('hush');
    expect(() => new SecretBox([NEW]).open(sealed, 'x')).toThrow();
  });

  it('names the sealing key by an id that reveals nothing about the key', () => {
    const box = new SecretBox([NEW, OLD]);
    const [, , keyId] = box.seal('hush', 'x').split('.');
    expect(keyId).toMatch(/^[0-9a-f]{12}$/);
    expect(box.keyIds).toEqual([keyId, new SecretBox([OLD]).keyIds[0]]);
    expect(new Set(box.keyIds).size).toBe(2);
    expect(Buffer.from(NEW).toString('hex')).not.toContain(keyId);
  });

  it('opens a secret sealed before keys had ids, under any key', () => {
    const withoutId = new SecretBox([OLD]).seal('hush', 'x').split('.').slice(0, 2).join('.');
    expect(new SecretBox([NEW, OLD]).open(withoutId, 'x')).toBe('hush');
    expect(() => new SecretBox([NEW]).open(withoutId, 'x')).toThrow(/no key/);
  });

  it('does not open a secret that names another key', () => {
    const [version, text] = new SecretBox([NEW]).seal('hush', 'x').split('.');
    const renamed = `${version}.${text}.${new SecretBox([OLD]).keyIds[0]}`;
    expect(() => new SecretBox([NEW, OLD]).open(renamed, 'x')).toThrow(/no key/);
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

  it('names its keys as the box does', () => {
    const pepper = new Pepper([NEW, OLD]);
    expect(pepper.keyIds).toEqual(new SecretBox([NEW, OLD]).keyIds);
    expect(pepper.keyId).toBe(pepper.keyIds[0]);
  });
});

/** The order of docs/operations.md: processes of two successive steps run at the same time. */
const STEPS: { step: string; before: string[]; after: string[] }[] = [
  { step: 'the new key is appended', before: [OLD], after: [OLD, NEW] },
  { step: 'the new key moves to the front', before: [OLD, NEW], after: [NEW, OLD] },
  { step: 'the old key is removed, after the rotation', before: [NEW, OLD], after: [NEW] },
];

describe.each(STEPS)('while $step', ({ before, after }) => {
  it.each([
    ['old settings read what new ones write', after, before],
    ['new settings read what old ones write', before, after],
  ])('%s', (_, writer, reader) => {
    const sealed = new SecretBox(writer).seal('hush', 'x');
    expect(new SecretBox(reader).open(sealed, 'x')).toBe('hush');
    expect(new Pepper(reader).candidates('pm-sk-1')).toContainEqual(new Pepper(writer).hash('pm-sk-1'));
  });
});

describe('a new key put first at once', () => {
  it('is unreadable for processes that still have the old settings: it has to be appended before', () => {
    const sealed = new SecretBox([NEW, OLD]).seal('hush', 'x');
    expect(() => new SecretBox([OLD]).open(sealed, 'x')).toThrow(/no key/);
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
