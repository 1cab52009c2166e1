import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DomainListFile, isListedOrBelow, readDomainList } from './domain-lists.js';

describe('a list of domains', () => {
  const LIST = readDomainList('# spammers\r\nBad.test.  # since May\n\n  worse.example.com\nbücher.test');

  it.each([
    ['bad.test', true],
    ['mail.bad.test', true],
    ['worse.example.com', true],
    ['xn--bcher-kva.test', true],
    ['example.com', false],
    ['notbad.test', false],
    ['bad.test.example', false],
  ])('%s, or what is above it, is listed: %s', (domain, expected) => {
    expect(isListedOrBelow(LIST, domain)).toBe(expected);
  });

  it('names the line that is no domain', () => {
    expect(() => readDomainList('bad.test\nnonsense\n')).toThrow('line 2 is no domain name');
  });
});

describe('a list in a file', () => {
  let folder: string;
  let file: string;
  const troubles: unknown[] = [];
  const list = (lookAgainMs?: number) =>
    new DomainListFile(file, {
      onTrouble: (error) => troubles.push(error),
      ...(lookAgainMs === undefined ? {} : { lookAgainMs }),
    });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postmesh-list-'));
    file = join(folder, 'list.txt');
    troubles.length = 0;
    await writeFile(file, 'one.test\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read again when it changed, but not at each use', async () => {
    const [eager, lazy] = [list(-1), list()];
    await lazy.load();
    await writeFile(file, 'one.test\ntwo.test\n');
    expect([...(await eager.current())]).toEqual(['one.test', 'two.test']);
    expect([...(await lazy.current())]).toEqual(['one.test']);
  });

  it('that is missing is reported at the start, by its name', async () => {
    file = join(folder, 'none.txt');
    await expect(list().load()).rejects.toThrow(/none\.txt cannot be read/);
  });

  it.each([
    ['broken', () => writeFile(file, 'nonsense')],
    ['removed', () => rm(file)],
  ])('that is %s later stays as it was, and is told', async (_, spoil) => {
    const watched = list(-1);
    await watched.load();
    await spoil();
    expect([...(await watched.current())]).toEqual(['one.test']);
    expect(troubles).toHaveLength(1);
    await writeFile(file, 'new.test');
    expect([...(await watched.current())]).toEqual(['new.test']);
  });
});
