import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginRequest, openSmtpSession } from './begun-request.js';
import { CampaignClient } from './campaign-client.js';
import { submit } from './contract/smtp-client.js';
import { Installation, type ApiResponse } from './installation.js';

const PROCESSES = ['accept-1', 'accept-2'];

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('all-in-one with two processes that accept (decision 91)', () => {
  let postmesh: Installation;
  beforeAll(async () => {
    postmesh = await Installation.create({
      POSTMESH_ACCEPT_PROCESSES: '2',
      // who served a request, and who has which number, is in the log
      POSTMESH_LOG_LEVEL: 'info',
    });
    await postmesh.start();
    await postmesh.verifiedDomain('two.test');
  });
  afterAll(() => postmesh?.remove(), 60_000);

  /** Log lines of these names, of what was logged from `since` on. */
  const logged = (event: string, since = 0) =>
    postmesh.output
      .slice(since)
      .split('\n')
      .filter((line) => line.includes(`"${event}"`) && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, any>); // eslint-disable-line typescript/no-explicit-any
  /** @returns their numbers now, by name */
  const pids = () =>
    new Map(logged('accept_process.started').map(({ part, pid }) => [part as string, pid as number]));

  /** On a connection of its own, so that each one of a few comes to another process. */
  async function onOwnConnection(
    method: string,
    path: string,
    {
      key = postmesh.credentials.api_key,
      account = postmesh.credentials.account_id,
      body,
      headers = {},
    }: {
      key?: string;
      account?: string;
      body?: unknown;
      headers?: Record<string, string>;
    } = {},
  ): Promise<ApiResponse> {
    const agent = new Agent({ connections: 1, pipelining: 1 });
    try {
      const response = await undiciFetch(
        `${postmesh.credentials.base_url.replace('localhost', '127.0.0.1')}${path.replace('{A}', `/v2/accounts/${account}`)}`,
        {
          method,
          dispatcher: agent,
          signal: AbortSignal.timeout(30_000),
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
      );
      return {
        status: response.status,
        headers: response.headers as unknown as Headers,
        body: await response.json(),
      };
    } finally {
      await agent.close();
    }
  }
  const times = <T>(count: number, one: (nth: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, nth) => one(nth)));

  const message = (subject: string) => ({
    from: { email: 'a@two.test' },
    to: [{ email: 'reader@mail.test' }],
    subject,
    text_content: 'x'.repeat(500),
  });
  const expectDelivered = async (ids: readonly string[]) => {
    const statuses = async () => {
      const read = await Promise.all(
        ids.map((id) => postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`)),
      );
      return read
        .filter(({ body }) => body.status !== 'Delivered')
        .map(({ status, body }) => [status, body.status]);
    };
    await expect.poll(statuses, { timeout: 90_000, interval: 500 }).toEqual([]);
  };
  const metrics = async () => (await fetch(`${postmesh.credentials.operator_url}/metrics`)).text();
  const valueOf = (page: string, series: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  const sumOf = (page: string, name: string) =>
    page
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  /** Of the embedded database. */
  const query = async (sql: string, values: readonly unknown[] = []) => {
    const instance = join(postmesh.dataDir, 'postgres', 'instance');
    const [password, port] = ['password', 'port'].map((file) =>
      readFileSync(join(instance, file), 'utf8').trim(),
    );
    const client = new pg.Client(`postgresql://postgres:${password}@127.0.0.1:${port}/postgres`);
    await client.connect();
    try {
      return await client.query<Record<string, unknown>>(sql, [...values]);
    } finally {
      await client.end();
    }
  };
  /** Connections by which processes read the events of a service. */
  const readersOf = async (service: string) =>
    (await query('select from pg_stat_activity where application_name = $1', [`postmesh-bus-${service}`]))
      .rowCount;
  const newAccount = async () => {
    const made = await postmesh.operator('POST', '/operator/accounts/accounts', {
      name: 'Two',
      owner_email: 'two@mail.test',
    });
    const path = `/operator/accounts/accounts/${made.body.id}`;
    const key = await postmesh.operator('POST', `${path}/api-keys`, { label: 'k', scopes: ['*'] });
    return { path, account: made.body.id as string, key: key.body.secret_key as string };
  };

  it('serves connections by both, and the main process serves none; what they accept is delivered', async () => {
    const since = postmesh.output.length;
    await query(`insert into messages.dead_letters (consumer, event_id, stream, kind, reason, envelope)
      values ('messages.test', 'e', 's', 'permanent', 'r', '{}')`);
    const sent = await times(20, (nth) =>
      onOwnConnection('POST', '{A}/messages/conversation', { body: message(`Mail ${nth}`) }),
    );
    expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
    const login = await onOwnConnection('POST', '{A}/smtp-credentials', {
      body: { name: 't', scope: 'global' },
    });
    const submitted = await times(4, (nth) =>
      submit(
        postmesh,
        { user: login.body.username, pass: login.body.password },
        {
          envelope: { from: 'a@two.test', to: ['reader@mail.test'] },
          from: 'a@two.test',
          to: 'reader@mail.test',
          subject: `By SMTP ${nth}`,
          text: 'x',
        },
      ),
    );
    expect(submitted.filter(({ id }) => id === '')).toEqual([]);
    await expectDelivered([
      ...sent.map(({ body }) => body.data[0].id as string),
      ...submitted.map(({ id }) => id),
    ]);
    const servedBy = new Set(logged('request.served', since).map((line) => line['process']));
    expect([...servedBy].sort()).toEqual(PROCESSES);
    const page = await metrics();
    expect(valueOf(page, 'postmesh_accept_processes{state="running"}')).toBe(2);
    for (const name of PROCESSES) {
      const resident = valueOf(page, `postmesh_accept_process_resident_bytes{process="${name}"}`);
      expect(resident).toBeGreaterThan(50e6);
      expect(resident).toBeLessThan(600e6);
    }
    expect(await readersOf('messages')).toBe(1);
    // three would be the sum of what each of them is told by the database
    await expect
      .poll(async () => valueOf(await metrics(), 'postmesh_dead_letters{service="messages"}'))
      .toBe(1);
    await query('delete from messages.dead_letters');
  });

  it('campaigns leave room for what they accept (decision 61)', async () => {
    const campaigns = new CampaignClient(async (method, path, wanted, body) => {
      const response = await postmesh.api(method, path, body);
      expect(response.status, JSON.stringify(response.body)).toBe(wanted);
      return response.body;
    }, 'news@two.test');
    /** @returns how many recipients each of its requests to the messages service had */
    const requestsOf = async (recipients: number) => {
      const emails = Array.from({ length: recipients }, (_, nth) => `of${recipients}-${nth}@mail.test`);
      const id = await campaigns.campaign([await campaigns.list(emails)]);
      expect(
        (await onOwnConnection('POST', '{A}/messages/conversation', { body: message('Hi') })).status,
      ).toBe(202);
      await campaigns.send(id);
      await expect.poll(async () => (await campaigns.read(id)).status).toBe('sent');
      const { rows } = await query(
        `select count(*)::int from messages.messages where campaign_id = $1 group by send_request_id`,
        [id],
      );
      return rows.map(({ count }) => count);
    };
    // the first request learns that others send, the next ones are short
    expect(await requestsOf(1)).toEqual([1]);
    expect(await requestsOf(100)).toEqual([50, 50]);
  });

  it('§2.1 rule 6: a deleted key is refused by each of them in the next request', async () => {
    for (let round = 0; round < 3; round += 1) {
      const made = await onOwnConnection('POST', '{A}/api-keys', {
        body: { label: 'k', scopes: ['accounts:read'] },
      });
      const key = made.body.secret_key as string;
      const pings = async () =>
        (await times(8, () => onOwnConnection('GET', '/v2/ping', { key }))).map(({ status }) => status);
      expect(await pings()).toEqual(Array(8).fill(200));
      expect((await onOwnConnection('DELETE', `{A}/api-keys/${made.body.id}`)).status).toBe(200);
      const since = postmesh.output.length;
      expect(await pings()).toEqual(Array(8).fill(401));
      await expect
        .poll(() => new Set(logged('request.served', since).map((line) => line['process'])).size)
        .toBe(2);
    }
  });

  it('§5 rule 1: the burst of an account is one', async () => {
    const { path, account, key } = await newAccount();
    const burst = 40;
    const rate_limits = { general: { per_second: 1, burst } };
    expect((await postmesh.operator('PUT', path, { rate_limits })).status).toBe(200);
    const began = performance.now();
    const given = await times(2 * burst, () => onOwnConnection('GET', '{A}', { account, key }));
    const refilled = Math.ceil((performance.now() - began) / 1_000);
    const passed = given.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(burst);
    expect(passed).toBeLessThanOrEqual(burst + refilled);
  });

  it('§4.3 rule 9: of 20 identical requests at once exactly one runs', async () => {
    const headers = { 'idempotency-key': 'twenty at once' };
    const ask = () =>
      onOwnConnection('POST', '{A}/messages/conversation', { body: message('Once'), headers });
    const given = await times(20, ask);
    const fresh = given.filter(
      ({ status, headers: has }) => status === 202 && !has.get('idempotent-replayed'),
    );
    expect(fresh).toHaveLength(1);
    for (const { status } of given) expect([202, 409]).toContain(status);
    expect((await ask()).body).toEqual(fresh[0]?.body);
  });

  it('loses nothing when one of them is killed under load, goes on meanwhile, and starts it again', async () => {
    const victim = pids().get('accept-1') as number;
    const since = postmesh.output.length;
    const counted = async () => sumOf(await metrics(), 'postmesh_messages_accepted_total');
    const accepted: string[] = [];
    const refused: number[] = [];
    let cut = 0;
    let ended = false;
    const load = times(8, async (client) => {
      for (let nth = 0; !ended; nth += 1) {
        const sent = await onOwnConnection('POST', '{A}/messages/conversation', {
          body: message(`Load ${client} ${nth}`),
        }).catch((error: Error) => {
          if (error.name === 'TimeoutError') throw error;
        });
        if (sent === undefined) cut += 1;
        else if (sent.status === 202) accepted.push(sent.body.data[0].id as string);
        else refused.push(sent.status);
      }
    });
    const acceptsMore = async (count: number) => {
      const enough = accepted.length + count;
      await expect.poll(() => accepted.length).toBeGreaterThanOrEqual(enough);
    };
    await acceptsMore(30);
    const before = await counted();
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => logged('accept_process.ended', since).length).toBe(1);
    await acceptsMore(10);
    // it starts while the others serve
    await expect.poll(() => logged('accept_process.started', since).length, { timeout: 30_000 }).toBe(1);
    const back = postmesh.output.length;
    await acceptsMore(30);
    ended = true;
    await load;
    expect(pids().get('accept-1')).not.toBe(victim);
    expect(refused).toEqual([]);
    // connections that it had, and one that it was being handed: none of them hangs
    expect(cut).toBeLessThanOrEqual(9);
    const servedBy = new Set(logged('request.served', back).map((line) => line['process']));
    expect([...servedBy].sort()).toEqual(PROCESSES);
    await expectDelivered(accepted);
    const page = await metrics();
    expect(valueOf(page, 'postmesh_accept_processes{state="running"}')).toBe(2);
    expect(valueOf(page, 'postmesh_accept_process_ends_total')).toBe(1);
    // the sums of all processes do not go back when one of them begins anew
    expect(before).toBeGreaterThan(0);
    expect(await counted()).toBeGreaterThanOrEqual(before);
    const ready = await fetch(`${postmesh.credentials.operator_url}/health/ready`);
    expect(((await ready.json()) as any).parts.gateway).toBe(true); // eslint-disable-line typescript/no-explicit-any
  }, 240_000);

  it('kills one that hangs, and starts it again', async () => {
    const victim = pids().get('accept-2') as number;
    const since = postmesh.output.length;
    process.kill(victim, 'SIGSTOP');
    // it is asked every few seconds, and a start takes some
    const seen = { interval: 500, timeout: 30_000 };
    await expect.poll(() => isAlive(victim), seen).toBe(false);
    await expect.poll(() => logged('accept_process.started', since).length, seen).toBe(1);
    expect(pids().get('accept-2')).not.toBe(victim);
    const sent = await times(4, () => onOwnConnection('GET', '{A}'));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('answers what is under way when it is told to stop, and leaves nothing behind', async () => {
    const { base_url, account_id, api_key: key, smtp } = postmesh.credentials;
    const url = `${base_url.replace('localhost', '127.0.0.1')}/v2/accounts/${account_id}/messages/conversation`;
    const cluster = join(postmesh.dataDir, 'postgres', 'instance', 'cluster');
    const postmaster = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const all = [...pids().values(), postmaster];
    expect(all.filter(isAlive)).toHaveLength(3);
    const requests = await times(50, (nth) => beginRequest(url, { key, body: message(`Begun ${nth}`) }));
    const slow = await beginRequest(url, { key, body: message('Never whole') });
    slow.write(100);
    const session = await openSmtpSession(smtp.port);
    const stopped = postmesh.stop();
    for (const one of requests) one.write(Infinity);
    const responses = await Promise.all(requests.map(({ response }) => response));
    expect(responses.filter((response) => response?.status !== 202)).toEqual([]);
    expect(await slow.response).toEqual({ status: 503, retryAfter: '1' });
    expect(await session.said).toMatch(/^421 /m);
    const { code, tookMs } = await stopped;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(10_000);
    expect(postmesh.output).not.toContain('stop.failed');
    await expect.poll(() => all.filter(isAlive)).toEqual([]);
  });

  it('when the main process is killed no other one is left, and the next start accepts as before', async () => {
    await postmesh.start();
    const all = [...pids().values()];
    expect(all.filter(isAlive)).toHaveLength(2);
    await postmesh.stop('SIGKILL');
    await expect.poll(() => all.filter(isAlive)).toEqual([]);
    await postmesh.start();
    const sent = await times(4, (nth) =>
      onOwnConnection('POST', '{A}/messages/conversation', { body: message(`After ${nth}`) }),
    );
    await expectDelivered(sent.map(({ body }) => body.data[0].id as string));
  }, 240_000);

  it('says which port another program has, and does not start', async () => {
    const port = new URL(postmesh.credentials.base_url).port;
    const second = await Installation.create({
      POSTMESH_ACCEPT_PROCESSES: '2',
      POSTMESH_HTTP_PORT: port,
    });
    await expect(second.start()).rejects.toThrow(
      `POSTMESH_HTTP_PORT: port ${port} is taken by another program`,
    );
    await second.remove();
  });
});
