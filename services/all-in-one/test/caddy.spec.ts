import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, realProgram } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, ownInstallation, uniqueDomain, type Account } from './contract/harness.js';

// The Caddyfile of deploy/single as it is, with certificates of an authority of Caddy's own in place of a public one.

const CADDY = realProgram('CADDY', 'caddy');
const CADDYFILE = fileURLToPath(new URL('../../../deploy/single/Caddyfile', import.meta.url));
const API = 'api.postmesh.test';
const UPSTREAM = await freePort();

describe.skipIf(CADDY === undefined)('Caddy in front of Postmesh', () => {
  const postmesh = ownInstallation({
    POSTMESH_BASE_URL: `https://${API}`,
    POSTMESH_HTTP_PORT: String(UPSTREAM),
  });
  let caddy: ChildProcess;
  let folder: string;
  let port: number;
  let account: Account;

  beforeAll(async () => {
    account = await postmesh.newAccount({});
    folder = await mkdtemp(join(tmpdir(), 'postmesh-caddy-'));
    port = await freePort();
    const ports = `http_port ${await freePort()}\n https_port ${port}`;
    const { operator_url: operator } = postmesh.credentials;
    caddy = spawn(CADDY ?? '', ['run', '--config', CADDYFILE, '--adapter', 'caddyfile'], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        CADDY_OPTIONS: `${ports}\n local_certs\n skip_install_trust\n admin off`,
        POSTMESH_API_HOST: API,
        POSTMESH_SMTP_HOST: 'mx.postmesh.test',
        POSTMESH_UPSTREAM: `127.0.0.1:${UPSTREAM}`,
        POSTMESH_ASK: new URL(operator).host,
      },
    });
  });
  afterAll(async () => {
    if (caddy?.kill()) await once(caddy, 'exit');
    if (folder) await rm(folder, { recursive: true });
  });

  /** The status of a response over TLS, or `no certificate`. */
  const statusOf = (host: string, path: string): Promise<number | string> =>
    new Promise((resolve) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          servername: host,
          path,
          headers: { host },
          rejectUnauthorized: false,
          agent: false,
        },
        (response) => resolve(response.resume().statusCode ?? 0),
      );
      asked.on('error', () => resolve('no certificate'));
      asked.end();
    });

  const post = (path: string, body?: object) =>
    fetch(`http://127.0.0.1:${UPSTREAM}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key.secret}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('the API and the console are on their host', async () => {
    await eventually(() => statusOf(API, '/v2/ping')).toBe(401);
    expect(await statusOf(API, '/console/')).toBe(200);
  });

  it('a host of links has a certificate once its record was seen, and has links alone', async () => {
    const domain = uniqueDomain('links');
    expect(await statusOf(`track.${domain}`, '/o/x')).toBe('no certificate');
    const path = `/v2/accounts/${account.id}/domains`;
    expect((await post(path, { domain })).status).toBe(201);
    expect(await (await post(`${path}/${domain}/check-dns`)).json()).toMatchObject({ dns_valid: true });
    expect(await statusOf(`track.${domain}`, '/o/x')).toBe(404);
    expect(await statusOf(`track.${domain}`, '/v2/ping')).toBe(404);
    expect(await statusOf(`rp.${domain}`, '/')).toBe('no certificate');
  });

  it('no other host has one, and a flood of names costs few look-ups', async () => {
    const names = Array.from({ length: 120 }, (_, nth) => `host${nth}.foreign.test`);
    const answers = await Promise.all(
      names.map(
        async (name) => (await fetch(`${postmesh.credentials.operator_url}/tls/ask?domain=${name}`)).status,
      ),
    );
    expect(new Set(answers)).toEqual(new Set([404, 429]));
    expect(await statusOf('www.foreign.test', '/')).toBe('no certificate');
    expect(await statusOf(API, '/v2/ping')).toBe(401);
  });
});
