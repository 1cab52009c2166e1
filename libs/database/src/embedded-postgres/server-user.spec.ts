import { describe, expect, it } from 'vitest';
import { mayEnterAll, mayExecute } from './server-user.js';

const unprivileged = { uid: 65_534, gid: 65_534 };
const entry = (mode: number, uid = 0, gid = 0) => ({ mode: 0o40_000 | mode, uid, gid });

describe('users that may walk through a path', () => {
  it.each([
    ['open folders', [entry(0o755), entry(0o711)], true],
    ["root's own folder on the way", [entry(0o755), entry(0o700), entry(0o755)], false],
    ['a folder of the user', [entry(0o755), entry(0o700, 65_534)], true],
    ['a folder of the group', [entry(0o710, 0, 65_534)], true],
    ['a folder that shuts its own owner out', [entry(0o077, 65_534)], false],
    ['readable, but not to be entered', [entry(0o744)], false],
    ['no folder at all', [], true],
  ])('%s', (_name, folders, expected) => {
    expect(mayEnterAll(folders, unprivileged)).toBe(expected);
  });
});

describe('users that may execute a file', () => {
  it.each([
    [0o755, true],
    [0o700, false],
    [0o744, false],
    [0o711, false],
  ])('%o', (mode, expected) => {
    expect(mayExecute(entry(mode), unprivileged)).toBe(expected);
  });
});
