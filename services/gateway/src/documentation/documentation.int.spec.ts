import { hash } from 'node:crypto';
import { OPERATIONS } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request, type Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', {
    trustedProxies: ['127.0.0.1'],
    baseUrl: 'https://mail.example.com/',
  });
});
afterAll(() => gateway.stop());

let callers = 0;

/** Each call has an address of its own, so that only the test of the limit reaches the limit. */
async function ask(
  path: string,
  method: Dispatcher.HttpMethod = 'GET',
  headers: Record<string, string> = {},
) {
  callers += 1;
  const response = await request(`${gateway.url}${path}`, {
    method,
    headers: { 'x-forwarded-for': `192.0.2.${callers}`, ...headers },
  });
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}

const PAGES = [
  ...['/docs', '/docs/console', '/docs/reference.js', '/docs/reference.css'],
  ...['/llms.txt', '/docs/introduction.md', '/docs/messages.md', '/docs/sub-account-api-keys.md'],
];

describe('GET /openapi.json', () => {
  it('is the document of all operations, without a key', async () => {
    const { status, headers, text } = await ask('/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const document = JSON.parse(text);
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.paths['/v2/ping'].get.operationId).toBe('ping');
    for (const path of Object.keys(document.paths)) {
      expect(Object.values(OPERATIONS).some((spec) => spec.path === path)).toBe(true);
    }
  });

  it('lists the URL of the installation as its first server, then the address of the document', async () => {
    const { servers } = JSON.parse((await ask('/openapi.json')).text);
    expect(servers.map(({ url }: { url: string }) => url)).toEqual(['https://mail.example.com', '/']);
  });
});

describe('the pages without a key', () => {
  it.each(['/openapi.json', ...PAGES])('%s is not sent again to a client that has it', async (path) => {
    const first = await ask(path);
    expect(first.status).toBe(200);
    expect(first.headers['cache-control']).toBe('no-cache');
    const again = await ask(path, 'GET', { 'if-none-match': String(first.headers['etag']) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers['etag']).toBe(first.headers['etag']);
  });

  it.each(['/openapi.json', ...PAGES])('%s answers HEAD as GET without the body', async (path) => {
    const [get, head] = [await ask(path), await ask(path, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'] as const)(
    'refuse %s and list the allowed methods',
    async (method) => {
      for (const path of ['/openapi.json', '/docs']) {
        const refused = await ask(path, method);
        expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
        expect(JSON.parse(refused.text)).toEqual({ message: 'method not allowed' });
      }
    },
  );

  it('are these alone', async () => {
    for (const path of [
      '/docs/',
      '/docs/index.html',
      '/openapi.yaml',
      '/docs/package.json',
      '/docs/none.md',
    ]) {
      expect((await ask(path)).status).toBe(404);
    }
  });

  it('are limited by address', async () => {
    const from = (ip: string) => ask('/docs', 'GET', { 'x-forwarded-for': ip });
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async () => (await from('198.51.100.1')).status),
    );
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(40);
    expect(statuses).toContain(429);
    expect((await from('198.51.100.2')).status).toBe(200);
  });
});

describe('GET /llms.txt', () => {
  it('lists pages of this installation, each of which is Markdown', async () => {
    const { headers, text } = await ask('/llms.txt');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): /gm)].map(([, link]) => new URL(link ?? ''));
    expect(links.length).toBeGreaterThan(15);
    for (const { origin, pathname } of links) {
      expect(origin).toBe('https://mail.example.com');
      const page = await ask(pathname);
      expect([page.status, page.headers['x-content-type-options']]).toEqual([200, 'nosniff']);
      if (pathname.endsWith('.md')) expect(page.headers['content-type']).toBe('text/markdown; charset=utf-8');
    }
  });
});

describe('GET /docs', () => {
  it('allows content of its own origin only, and nothing inline', async () => {
    const { headers } = await ask('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive): [string, string] => [
          directive.split(' ')[0] ?? '',
          directive.split(' ').slice(1).join(' '),
        ]),
    );
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    // a style element without content
    expect(policy.get('style-src')).toBe(`'self' 'sha256-${hash('sha256', '', 'base64')}'`);
    policy.delete('style-src');
    for (const sources of policy.values()) expect(sources).toMatch(/^'none'$|^'self'( data:)?$/);
  });

  it.each(['/docs', '/docs/console'])(
    '%s names files of this origin only, and has none inline',
    async (page) => {
      const { text } = await ask(page);
      const addresses = [...text.matchAll(/\b(?:href|src|data-document)="([^"]*)"/g)].map(
        ([, one]) => one ?? '',
      );
      expect(addresses.length).toBeGreaterThan(4);
      for (const address of addresses.filter((each) => each !== 'data:,')) {
        expect(address).not.toMatch(/^[a-z]+:|^\/\//i);
        const { pathname } = new URL(address, `http://localhost${page}`);
        expect((await ask(pathname)).status).toBe(200);
      }
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
    },
  );

  it('has its script in the encoding of the client', async () => {
    const { headers } = await ask('/docs/reference.js', 'GET', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], headers['vary']]).toEqual(['br', 'accept-encoding']);
  });
});
