import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@postmesh/testing';
import { request, type Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';
import { SITE_FOLDER_PROVIDER } from './site-pages.js';

const database = testDatabase();
const built = SITE_FOLDER_PROVIDER.useValue;
const SECTIONS = [
  { title: 'Begin', pages: [{ path: '/console/docs/start.md', title: 'Start', about: 'the first mail' }] },
];
let folder: string;
let gateway: TestGateway;
let unbuilt: TestGateway;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-site-'));
  await mkdir(join(folder, 'assets'));
  await mkdir(join(folder, 'decisions'));
  const files = {
    'index.html': 'first page',
    'start.html': 'start page',
    'start.md': '# Start',
    'decisions/index.html': 'decisions page',
    'assets/app.Abc123.js': 'void 0;',
    'sections.json': JSON.stringify(SECTIONS),
    '.built-from': 'a hash',
    '.hidden.json': '{}',
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  SITE_FOLDER_PROVIDER.useValue = folder;
  gateway = await startGateway(database.url, 'in process', { baseUrl: 'https://mail.example.com' });
  SITE_FOLDER_PROVIDER.useValue = join(folder, 'none');
  unbuilt = await startGateway(database.url, 'in process');
});
afterAll(async () => {
  SITE_FOLDER_PROVIDER.useValue = built;
  await Promise.all([gateway.stop(), unbuilt.stop()]);
  await rm(folder, { recursive: true });
});

async function ask(path: string, method: Dispatcher.HttpMethod = 'GET', url = gateway.url) {
  const response = await request(`${url}${path}`, { method });
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}

describe('the documentation', () => {
  it.each([
    ['/console/docs/', 'first page'],
    ['/console/docs/start', 'start page'],
    ['/console/docs/start.html', 'start page'],
    ['/console/docs/decisions/', 'decisions page'],
  ])('has a page at %s, under a policy without inline code', async (path, page) => {
    const { status, headers, text } = await ask(path);
    expect([status, headers['content-type'], text]).toEqual([200, 'text/html; charset=utf-8', page]);
    expect(headers['cache-control']).toBe('no-cache');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self'; style-src 'self' 'sha256-");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:/);
  });

  it.each(['/console/docs', '/console/docs/decisions'])('leads from %s to the slash', async (path) => {
    const { status, headers } = await ask(path);
    expect([status, headers['location']]).toEqual([308, `${path}/`]);
  });

  it('has each page as Markdown, and llms.txt lists them', async () => {
    const { headers, text } = await ask('/console/docs/start.md');
    expect([headers['content-type'], text]).toEqual(['text/markdown; charset=utf-8', '# Start']);
    expect((await ask('/llms.txt')).text).toContain(
      '## Documentation: Begin\n\n- [Start](https://mail.example.com/console/docs/start.md): the first mail\n',
    );
  });

  it('keeps files with a hash in their name for a year', async () => {
    expect((await ask('/console/docs/assets/app.Abc123.js')).headers['cache-control']).toContain('immutable');
  });

  it.each(['none', '.built-from', '.hidden.json', 'sections.json', '..%2fpackage.json'])(
    'has no page %s',
    async (name) => expect((await ask(`/console/docs/${name}`)).status).toBe(404),
  );

  it('refuses other methods', async () => expect((await ask('/console/docs/', 'POST')).status).toBe(405));

  it('that is not built says how to build it', async () => {
    const { status, text } = await ask('/console/docs/start', 'GET', unbuilt.url);
    expect([status, text]).toEqual([404, expect.stringContaining('npm run site')]);
    expect((await ask('/llms.txt', 'GET', unbuilt.url)).text).not.toContain('Documentation:');
  });
});
