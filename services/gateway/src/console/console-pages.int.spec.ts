import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { loadSettings } from '@postmesh/settings';
import { request, type Dispatcher } from 'undici';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';
import { CONSOLE_FOLDER_PROVIDER } from './console-pages.js';

const database = testDatabase();
const INDEX = '<!doctype html><title>Console</title>';
const SCRIPT = 'export const answer = 42;\n'.repeat(50);

let folder: string;
let gateway: TestGateway;
let without: TestGateway;
const built = CONSOLE_FOLDER_PROVIDER.useValue;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-console-'));
  await mkdir(join(folder, 'assets'));
  await Promise.all([
    writeFile(join(folder, 'index.html'), INDEX),
    writeFile(join(folder, 'operator.html'), 'pages of operators'),
    writeFile(join(folder, 'mail-frame.html'), INDEX),
    writeFile(join(folder, 'mail-frame-images.html'), INDEX),
    writeFile(join(folder, '.built-from'), 'a hash'),
    writeFile(join(folder, 'assets', 'index-Abc123.js'), SCRIPT),
    writeFile(join(folder, 'assets', 'index-Abc123.js.br'), brotliCompressSync(SCRIPT)),
    writeFile(join(folder, 'assets', 'index-Abc123.js.gz'), gzipSync(SCRIPT)),
  ]);
  CONSOLE_FOLDER_PROVIDER.useValue = folder;
  gateway = await startGateway(database.url, 'in process');
  without = await startGateway(database.url, 'in process', { console: false });
});
afterAll(async () => {
  CONSOLE_FOLDER_PROVIDER.useValue = built;
  await Promise.all([gateway.stop(), without.stop()]);
  await rm(folder, { recursive: true });
});

async function ask(
  path: string,
  headers: Record<string, string> = {},
  method: Dispatcher.HttpMethod = 'GET',
  url = gateway.url,
) {
  const response = await request(`${url}${path}`, { method, headers });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() };
}

describe('the page', () => {
  it.each([
    '/console/',
    '/console/messages',
    '/console/domains/shop.test',
    '/console/audience/ann@mail.test',
  ])('is at %s, and revalidated each time', async (path) => {
    const { status, headers, text } = await ask(path);
    expect([status, headers['content-type'], text]).toEqual([200, 'text/html; charset=utf-8', INDEX]);
    expect(headers['cache-control']).toBe('no-cache');
    const again = await ask(path, { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('may run no inline code, no string as code, and load nothing from elsewhere', async () => {
    const policy = String((await ask('/console/')).headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "require-trusted-types-for 'script'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|https?:/);
  });

  it('of operators is on their port alone', async () => {
    expect((await ask('/console/operator.html')).text).toBe(INDEX);
  });

  it('is where /console leads', async () => {
    const { status, headers } = await ask('/console');
    expect([status, headers['location']]).toEqual([308, '/console/']);
  });
});

describe('the frame of a message', () => {
  it('fetches nothing before the reader asks for images, and runs its own script only', async () => {
    const policyAt = async (path: string) => String((await ask(path)).headers['content-security-policy']);
    const [plain, images] = [
      await policyAt('/console/mail-frame.html'),
      await policyAt('/console/mail-frame-images.html'),
    ];
    expect(plain).toContain('img-src data:;');
    expect(images).toContain('img-src data: https: http:;');
    for (const policy of [plain, images]) {
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("form-action 'none'");
      expect(policy).not.toContain('connect-src');
    }
  });
});

describe('a file with a hash in its name', () => {
  const PATH = '/console/assets/index-Abc123.js';

  it('is kept for a year, and compressed as the client accepts it', async () => {
    const { headers, bytes } = await ask(PATH, { 'accept-encoding': 'gzip, br' });
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect([headers['content-encoding'], headers['vary']]).toEqual(['br', 'accept-encoding']);
    expect(brotliDecompressSync(bytes).toString()).toBe(SCRIPT);
    const zipped = await ask(PATH, { 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    const plain = await ask(PATH);
    expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, SCRIPT]);
    expect(new Set([headers['etag'], zipped.headers['etag'], plain.headers['etag']]).size).toBe(3);
  });

  it('answers HEAD as GET without the body', async () => {
    const [get, head] = [await ask(PATH), await ask(PATH, {}, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('that a release no longer has is a 404, and not the page', async () => {
    expect((await ask('/console/assets/index-Old999.js')).status).toBe(404);
  });
});

it.each(['/console/.built-from', '/console/assets/index-Abc123.js.br', '/console/../package.json'])(
  '%s is no file of the console',
  async (path) => {
    expect((await ask(path)).text).not.toMatch(/a hash|"name"/);
  },
);

it('refuses other methods', async () => {
  const { status, headers } = await ask('/console/', {}, 'POST');
  expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
});

it('leaves /console/api to the back end', async () => {
  const { status, headers } = await ask('/console/api/session');
  expect(headers['content-type']).not.toMatch(/html/);
  expect(status).not.toBe(200);
});

it('POSTMESH_CONSOLE=off: there is no page', async () => {
  expect(loadSettings({ POSTMESH_CONSOLE: 'off' }).console).toBe(false);
  expect((await ask('/console/', {}, 'GET', without.url)).status).toBe(404);
});
