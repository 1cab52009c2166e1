import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '@postmesh/settings';
import { readCredentials } from './credentials.js';
import { ensureLocalSecrets } from './local-secrets.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'postmesh-kept-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(join(dir, name), text);
const secrets = () => ensureLocalSecrets({ ...loadSettings({}), dataDir: dir });
const failureOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  );

describe('a file of the data directory that is broken', () => {
  it.each([
    '',
    '{"secret_keys": ["a-key-that-nobody-may-rea',
    '{"secret_keys": ["short"], "operator_token": "x"}',
  ])('is named in an error with a remedy: secrets.json %j', async (text) => {
    await write('secrets.json', text);
    const said = await failureOf(secrets());
    expect(said).toContain(`${join(dir, 'secrets.json')} is broken`);
    expect(said).toMatch(/put back a copy of it/);
    expect(said).not.toMatch(/nobody-may/);
    // lost keys do not come back, so a start must not write new ones over them
    expect(await readFile(join(dir, 'secrets.json'), 'utf8')).toBe(text);
  });

  it('is named in an error with a remedy: credentials.json', async () => {
    await write('credentials.json', '{"base_url": "http://localhost:8080", "api_key": "pm-live-secr');
    const said = await failureOf(readCredentials(dir));
    expect(said).toContain(`${join(dir, 'credentials.json')} is broken (it is no JSON)`);
    expect(said).toMatch(/remove it/);
    expect(said).not.toMatch(/secr\b/);
  });

  it('is none when it is missing', async () => {
    expect(await readCredentials(dir)).toBeUndefined();
    expect((await secrets()).secret_keys).toHaveLength(1);
  });
});
