import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlobStore } from '../index.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'postmesh-blobs-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (at = dir) => createBlobStore({ driver: 'filesystem', dir: at });
const content = () => ({ id: randomUUID(), bytes: randomBytes(100) });

describe('the filesystem blob store', () => {
  it('spreads content over folders by the end of its id, readable by its owner alone', async () => {
    const store = await open();
    const one = content();
    await store.put([one]);
    const folder = join(dir, one.id.slice(-3));
    expect(await readdir(folder)).toEqual([one.id]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, one.id))).mode & 0o777).toBe(0o600);
  });

  it('leaves no drafts behind, neither after a put nor after one that failed', async () => {
    const store = await open();
    const [good, bad] = [content(), content()];
    await store.put([good]);
    // a folder has the name of the file, so that only the last step fails
    await mkdir(join(dir, bad.id.slice(-3), bad.id), { recursive: true });
    await expect(store.put([bad])).rejects.toThrow();
    expect(await readdir(join(dir, 'incoming'))).toEqual([]);
  });

  it('sweeps drafts of writers that died, not those of writers at work', async () => {
    await open();
    const [dead, alive] = ['dead', 'alive'].map((name) => join(dir, 'incoming', name));
    await writeFile(dead ?? '', 'half a message');
    await writeFile(alive ?? '', 'half a message');
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await utimes(dead ?? '', twoHoursAgo, twoHoursAgo);
    await open();
    expect(await readdir(join(dir, 'incoming'))).toEqual(['alive']);
  });

  it('is not ready when its folder is gone', async () => {
    const store = await open();
    await rm(dir, { recursive: true });
    expect(await store.ready()).toBe(false);
    await expect(store.put([content()])).rejects.toThrow(/ENOENT/);
  });

  it('does not open where the path is a file', async () => {
    const path = join(dir, 'file');
    await writeFile(path, '');
    await expect(open(path)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});
