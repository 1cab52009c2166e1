import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AccountId, ApiKeyId, newId, Transient, type Principal } from '@postmesh/contracts';
import { loadSettings } from '@postmesh/settings';
import { InternalClient, OPERATOR_HEADER, SERVICE_TOKEN_HEADER } from './internal-client.js';
import { PrincipalMinter, PrincipalVerifier, ServiceTokens } from './tokens.js';
import { principalPrivateKey, principalPublicKeys, serviceTokenKeys } from './signing.js';
import { ServiceDirectory } from './service-directory.js';
import { stopListening } from './stop-listening.js';

const OLD = 'an-old-secret-that-is-long-enough-for-us';
const NEW = 'a-new-secret-that-is-long-enough-for-us!';
const settings = (...keys: string[]) => ({ ...loadSettings({}), secretKeys: keys });

const PRINCIPAL: Principal = {
  account_id: AccountId.parse(newId()),
  key_id: ApiKeyId.parse(newId()),
  scopes: ['domains:read', 'messages:send:{a.test}'],
  account: {
    status: 'active',
    platform_partner: true,
    track_opens: false,
    track_clicks: false,
    reject_bad_recipients: false,
    reject_mistyped_recipients: false,
    message_metadata_retention: 7,
    message_data_retention: 7,
    parent_account_id: null,
    monthly_credit: 0,
    credit_pool: null,
  },
};

/** docs/operations.md, "Keys": processes of two successive steps run at the same time, in each direction. */
const ROTATION: [string, string[], string[]][] = [
  ['the new key is appended', [OLD], [OLD, NEW]],
  ['the new key moves to the front', [OLD, NEW], [NEW, OLD]],
  ['the old key is removed', [NEW, OLD], [NEW]],
];

describe.each(ROTATION)('while %s', (_, before, after) => {
  it.each([
    ['an old caller and a new service', before, after],
    ['a new caller and an old service', after, before],
  ])('%s understand each other', (_name, caller, service) => {
    const minter = new PrincipalMinter(principalPrivateKey(settings(...caller)));
    const verifier = new PrincipalVerifier(principalPublicKeys(settings(...service)), 'messages');
    expect(verifier.verify(minter.mint(PRINCIPAL, 'messages'))).toEqual(PRINCIPAL);
    const token = new ServiceTokens(serviceTokenKeys(settings(...caller)), 'gateway').make('messages');
    const tokens = new ServiceTokens(serviceTokenKeys(settings(...service)), 'messages');
    expect(tokens.verify(token)).toBe('gateway');
  });
});

it('a service rejects a caller whose key is missing in its settings', () => {
  const minter = new PrincipalMinter(principalPrivateKey(settings(NEW, OLD)));
  const verifier = new PrincipalVerifier(principalPublicKeys(settings(OLD)), 'messages');
  expect(verifier.verify(minter.mint(PRINCIPAL, 'messages'))).toBeUndefined();
});

describe('principals (architecture §3.1)', () => {
  const minter = new PrincipalMinter(principalPrivateKey(settings(NEW)));
  const verifier = new PrincipalVerifier(principalPublicKeys(settings(NEW)), 'messages');

  it('arrive as they were minted', () => {
    expect(verifier.verify(minter.mint(PRINCIPAL, 'messages'))).toEqual(PRINCIPAL);
  });

  it('are minted once per key and service for some seconds', () => {
    expect(minter.mint(PRINCIPAL, 'messages')).toBe(minter.mint(PRINCIPAL, 'messages'));
    expect(minter.mint({ ...PRINCIPAL, scopes: [] }, 'messages')).not.toBe(
      minter.mint(PRINCIPAL, 'messages'),
    );
  });

  it('are refused by another service, after they expired, and when they are forged', () => {
    const token = minter.mint(PRINCIPAL, 'messages');
    expect(
      new PrincipalVerifier(principalPublicKeys(settings(NEW)), 'domains').verify(token),
    ).toBeUndefined();
    expect(verifier.verify(token, Date.now() + 60_000)).toBeUndefined();
    const [head, , signature] = token.split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...PRINCIPAL, scopes: ['*'], iss: 'gateway', aud: 'messages', exp: 9e9 }),
    );
    expect(verifier.verify(`${head}.${forged.toString('base64url')}.${signature}`)).toBeUndefined();
    const stranger = new PrincipalMinter(principalPrivateKey(settings(OLD)));
    expect(verifier.verify(stranger.mint(PRINCIPAL, 'messages'))).toBeUndefined();
  });

  it.each(['', 'a', 'a.b', 'a.b.c', '..', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`])(
    'are not %j',
    (token) => {
      expect(verifier.verify(token)).toBeUndefined();
    },
  );

  it('of an older key are still accepted during a rotation', () => {
    const before = new PrincipalMinter(principalPrivateKey(settings(OLD))).mint(PRINCIPAL, 'messages');
    expect(new PrincipalVerifier(principalPublicKeys(settings(NEW, OLD)), 'messages').verify(before)).toEqual(
      PRINCIPAL,
    );
  });
});

describe('service tokens', () => {
  const keys = serviceTokenKeys(settings(NEW));

  it('name the caller to the service that they are meant for, and expire', () => {
    const token = new ServiceTokens(keys, 'messages').make('domains');
    const domains = new ServiceTokens(keys, 'domains');
    expect([domains.verify(token), domains.verify(token)]).toEqual(['messages', 'messages']);
    expect(new ServiceTokens(keys, 'accounts').verify(token)).toBeUndefined();
    expect(domains.verify(token, Date.now() + 60_000)).toBeUndefined();
    expect(new ServiceTokens(keys, 'domains').verify(token, Date.now() + 60_000)).toBeUndefined();
    expect(new ServiceTokens(serviceTokenKeys(settings(OLD)), 'domains').verify(token)).toBeUndefined();
  });
});

describe('calls between services', () => {
  const seen: {
    url: string | undefined;
    token: string | string[] | undefined;
    operator: string | string[] | undefined;
    body: string;
  }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { [SERVICE_TOKEN_HEADER]: token, [OPERATOR_HEADER]: operator } = request.headers;
      seen.push({ url: request.url, token, operator, body });
      // the first call breaks off
      if (request.url === '/once' && seen.filter(({ url }) => url === '/once').length === 1)
        return void request.socket.destroy();
      const status = request.url?.includes('missing') ? 404 : request.url?.includes('broken') ? 500 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"response":42}');
    });
  });
  const ready = new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  afterAll(() => server.close());

  const tokens = new ServiceTokens(serviceTokenKeys(settings(NEW)), 'messages');
  const ApiResponse = z.object({ response: z.number() });

  it('go over HTTP with a prefix, a token and a JSON body', async () => {
    const directory = new ServiceDirectory({ domains: `http://127.0.0.1:${await ready}/inner/` });
    const client = new InternalClient(directory, tokens);
    const given = await client.request(
      'domains',
      { method: 'POST', path: '/x', body: { a: 1 } },
      ApiResponse,
    );
    expect(given).toEqual({ response: 42 });
    expect(seen.at(-1)).toMatchObject({ url: '/inner/x', body: '{"a":1}' });
    expect(
      new ServiceTokens(serviceTokenKeys(settings(NEW)), 'domains').verify(String(seen.at(-1)?.token)),
    ).toBe('messages');
    expect(await client.request('domains', { method: 'GET', path: '/missing' }, ApiResponse)).toBeUndefined();
    await expect(client.request('domains', { method: 'GET', path: '/broken' }, ApiResponse)).rejects.toThrow(
      Transient,
    );
    await directory.close();
  });

  it('name the calling operator, in the process and over HTTP', async () => {
    const client = (directory: ServiceDirectory) => new InternalClient(directory, tokens);
    const remote = new ServiceDirectory({ domains: `http://127.0.0.1:${await ready}` });
    await client(remote).send('domains', { method: 'GET', path: '/x', operator: 'oncall' });
    expect(seen.at(-1)?.operator).toBe('oncall');
    await client(remote).send('domains', { method: 'GET', path: '/x' });
    expect(seen.at(-1)?.operator).toBeUndefined();
    await remote.close();
    const local = new ServiceDirectory({});
    const named: unknown[] = [];
    local.addLocal('domains', {
      route: () => undefined,
      inject: async ({ headers }) => {
        named.push(headers[OPERATOR_HEADER]);
        return { status: 200, headers: {}, bytes: Buffer.from('{}') };
      },
    });
    await client(local).send('domains', { method: 'GET', path: '/x', operator: 'oncall' });
    expect(named).toEqual(['oncall']);
  });

  it('fail as transient when the service cannot be reached', async () => {
    const directory = new ServiceDirectory({ domains: 'http://127.0.0.1:1' });
    const client = new InternalClient(directory, tokens);
    await expect(client.request('domains', { method: 'GET', path: '/x' }, ApiResponse)).rejects.toThrow(
      Transient,
    );
    await directory.close();
  });

  it('are made once more when their connection broke, unless the service may have changed something', async () => {
    const directory = new ServiceDirectory({ domains: `http://127.0.0.1:${await ready}` });
    const client = new InternalClient(directory, tokens);
    const call = (method: 'GET' | 'POST') =>
      client.request('domains', { method, path: '/once' }, ApiResponse);
    const calls = () => seen.splice(0).map(({ url }) => url);
    calls();
    await expect(call('POST')).rejects.toThrow(Transient);
    expect(calls()).toEqual(['/once']);
    expect(await call('GET')).toEqual({ response: 42 });
    expect(calls()).toEqual(['/once', '/once']);
    await directory.close();
  });

  it('stay in the process when the service runs in it', async () => {
    const directory = new ServiceDirectory({});
    directory.addLocal('domains', {
      route: () => undefined,
      inject: async ({ path, headers }) => ({
        status: 200,
        headers: {},
        bytes: Buffer.from(
          JSON.stringify({ response: path === '/x' && headers[SERVICE_TOKEN_HEADER] ? 1 : 0 }),
        ),
      }),
    });
    const client = new InternalClient(directory, tokens);
    expect(await client.request('domains', { method: 'GET', path: '/x' }, ApiResponse)).toEqual({
      response: 1,
    });
  });
});

it('a server that stops listening answers a connection that it just got, and closes idle ones', async () => {
  const server = createServer((_request, response) => void response.end('answered'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = async (): Promise<Socket> => {
    const taken = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    await taken;
    return socket;
  };
  const [late, idle] = [await client(), await client()];
  const stopped = stopListening(server);
  late.write('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n');
  expect(await Promise.all([text(late), text(idle)])).toEqual([expect.stringMatching(/answered$/), '']);
  await stopped;
});
