import { request } from 'node:http';
import { ServiceDirectory, type LocalService } from '@postmesh/http';
import { afterEach, expect, it } from 'vitest';
import { openInternalListener, type InternalListener } from './internal-listener.js';

let listener: InternalListener | undefined;
afterEach(() => listener?.close(0));

it('takes the principal of a key with a thousand long scopes', async () => {
  const directory = new ServiceDirectory({});
  const accounts: Pick<LocalService, 'route'> = {
    route: ({ url, headers }, response) =>
      void response.end(`${url} ${String(headers['x-principal']).length}`),
  };
  directory.addLocal('accounts', accounts as LocalService);
  listener = await openInternalListener(directory, { port: 0, reusePort: false });
  const headers = { 'x-principal': 'x'.repeat(400_000) };
  expect(await get(`${listener.urlOf('accounts')}/v2/ping`, headers)).toBe('200 /v2/ping 400000');
});

const get = (url: string, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve(`${response.statusCode} ${body}`));
    });
    sent.on('error', reject).end();
  });
