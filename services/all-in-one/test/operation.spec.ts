import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRequired } from '@postmesh/testing';
import { beginRequest, openSmtpSession } from './begun-request.js';
import { Installation } from './installation.js';

const run = promisify(execFile);
const DISK_MB = 500;

/** @returns false where no file system may be mounted */
const mountDisk = (folder: string): Promise<boolean> =>
  run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=700`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );

/** Fills the free space. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const isFull = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
    return undefined;
  };
  for (const size of [1 << 20, 4_096]) {
    while ((await file.write(Buffer.alloc(size)).catch(isFull)) !== undefined);
  }
  await file.close();
}

const randomText = () => randomBytes(50_000).toString('base64');

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the operational interface (architecture §5)', () => {
  let postmesh: Installation;
  let hasOwnDisk = false;
  beforeAll(async () => {
    // the mail host of local-internet has the same disk: while it is full it replies 451
    postmesh = await Installation.create({ POSTMESH_RETRY_DELAYS_S: Array(50).fill('5').join(',') });
    hasOwnDisk = await mountDisk(postmesh.dataDir);
  });
  afterAll(async () => {
    await postmesh?.stop();
    if (hasOwnDisk) await run('umount', ['-l', postmesh.dataDir]);
    await postmesh?.remove();
  });

  const message = (subject: string, text: string, to = 'reader@mail.test') => ({
    from: { email: 'a@kept.test' },
    to: [{ email: to }],
    subject,
    text_content: text,
  });
  const send = (text: string, to?: string) =>
    postmesh.api('POST', '{A}/messages/conversation', message('Sent', text, to));
  const health = async (probe: 'live' | 'ready') => {
    const response = await fetch(`${postmesh.credentials.operator_url}/health/${probe}`);
    return { status: response.status, body: (await response.json()) as any }; // eslint-disable-line typescript/no-explicit-any
  };
  /** @returns the messages in their final state */
  const expectDelivered = async (accepted: readonly Awaited<ReturnType<typeof send>>[]) => {
    const paths = accepted.map(({ body }) => `{A}/messages/${encodeURIComponent(body.data[0].id)}`);
    const read = () => Promise.all(paths.map(async (path) => (await postmesh.api('GET', path)).body));
    const waiting = async () => (await read()).filter(({ status }) => status !== 'Delivered');
    // a message that met an outage is retried after five seconds
    await expect.poll(waiting, { interval: 500, timeout: 60_000 }).toEqual([]);
    return read();
  };

  it('prints one line when ready and writes credentials for its owner only', async () => {
    const line = await postmesh.start();
    expect(line).toBe(`postmesh ready ${postmesh.credentials.base_url}`);
    const { mode } = await stat(join(postmesh.dataDir, 'credentials.json'));
    expect(mode & 0o777).toBe(0o600);
    expect(Object.keys(postmesh.credentials).sort()).toEqual([
      'account_id',
      'api_key',
      'base_url',
      'mailbox_url',
      'operator_token',
      'operator_url',
      'smtp',
    ]);
    expect(postmesh.credentials.api_key).toMatch(/^pm-sk-[A-Za-z0-9]{64}$/);
    expect((await postmesh.api('GET', '/v2/ping')).body).toEqual({ message: 'pong' });
    expect((await postmesh.api('GET', '{A}')).body).toMatchObject({
      object: 'account',
      id: postmesh.credentials.account_id,
    });
  });

  it('serves health and metrics without a token, everything else only with it', async () => {
    const { operator_url } = postmesh.credentials;
    expect((await fetch(`${operator_url}/health/live`)).status).toBe(200);
    const ready = await fetch(`${operator_url}/health/ready`);
    expect([ready.status, ((await ready.json()) as { status: string }).status]).toEqual([200, 'ready']);
    const metrics = await (await fetch(`${operator_url}/metrics`)).text();
    expect(metrics).toContain('# TYPE postmesh_http_requests_total counter');
    expect(metrics).toContain('postmesh_deliveries_in_flight');
    expect((await fetch(`${operator_url}/operator/doctor`)).status).toBe(401);
    const doctor = await postmesh.operator('GET', '/operator/doctor');
    expect(doctor.body).toMatchObject({ ok: true });
    expect((await postmesh.operator('GET', '/operator/delivery-worker/queue')).body).toMatchObject({
      deliveries: 0,
    });
    expect((await postmesh.operator('GET', '/operator/lag')).status).toBe(200);
    expect((await postmesh.operator('GET', '/operator/jobs')).status).toBe(200);
    expect((await postmesh.operator('GET', '/operator/dead-letters')).body).toEqual({ dead_letters: [] });
  });

  it('refuses a second start on the same data', async () => {
    const second = Object.assign(Object.create(Object.getPrototypeOf(postmesh) as object), postmesh, {
      log: '',
    }) as Installation;
    await expect(second.start()).rejects.toThrow(/already runs on/);
  });

  it('stops cleanly on SIGTERM within ten seconds and finds everything again', async () => {
    await postmesh.verifiedDomain('kept.test');
    const scheduled = await postmesh.api('POST', '{A}/messages/conversation', {
      from: { email: 'a@kept.test' },
      to: [{ email: 'later@mail.test' }],
      subject: 'Later',
      text_content: 'x',
      schedule: { first_attempt: new Date(Date.now() + 6_000).toISOString() },
    });
    expect(scheduled.status).toBe(202);
    const before = postmesh.credentials;
    const { code, tookMs } = await postmesh.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(10_000);
    await postmesh.start();
    expect(postmesh.credentials).toMatchObject({
      account_id: before.account_id,
      api_key: before.api_key,
      operator_token: before.operator_token,
    });
    expect((await postmesh.api('GET', '{A}/domains/kept.test')).body).toMatchObject({ dns_valid: true });
    const id = scheduled.body.data[0].id as string;
    await expect
      .poll(async () => (await postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`)).body.status)
      .toBe('Delivered');
  });

  it('completes requests in flight on a stop signal, and leaves no process behind', async () => {
    const { base_url, account_id, api_key: key, smtp } = postmesh.credentials;
    const url = `${base_url.replace('localhost', '127.0.0.1')}/v2/accounts/${account_id}/messages/conversation`;
    const cluster = join(postmesh.dataDir, 'postgres', 'instance', 'cluster');
    const postmaster = Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    const begin = (subject: string) => beginRequest(url, { key, body: message(subject, 'x'.repeat(2_000)) });
    const requests = await Promise.all(Array.from({ length: 50 }, (_, nth) => begin(`Begun ${nth}`)));
    const slow = await begin('Never whole');
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
    await expect.poll(() => isAlive(postmaster)).toBe(false);
    expect((await readdir(cluster)).filter((name) => name === 'postmaster.pid')).toEqual([]);
    expect((await readdir(postmesh.dataDir)).filter((name) => name.startsWith('postmesh.pid'))).toEqual([]);
    await postmesh.start();
    // it stops and starts, and both take long on a busy machine
  }, 180_000);

  it('restarts its killed PostgreSQL, logs it, and continues', async () => {
    const pidFile = join(postmesh.dataDir, 'postgres', 'instance', 'cluster', 'postmaster.pid');
    const postmaster = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
    // each domain is resolved for the first time in these moments
    const begun = Array.from({ length: 100 }, (_, nth) => send('before', `reader@before-${nth}.test`));
    await Promise.race(begun);
    process.kill(postmaster, 'SIGKILL');
    const answers = await Promise.all(begun);
    await expect
      .poll(
        async () => {
          const answer = await send('meanwhile', `reader@meanwhile-${answers.length}.test`);
          answers.push(answer);
          return answer.status === 202 && !isAlive(postmaster);
        },
        { interval: 20 },
      )
      .toBe(true);
    expect((await health('live')).status).toBe(200);
    for (const { status, headers } of answers.filter((answer) => answer.status !== 202)) {
      expect([status, headers.get('retry-after') !== null]).toEqual([503, true]);
    }
    const delivered = await expectDelivered(answers.filter(({ status }) => status === 202));
    // local-internet answers from the records that it has read: our outage is no failure of a destination
    expect(delivered.filter((one) => JSON.stringify(one).includes('DNSFailure'))).toEqual([]);
    await expect.poll(async () => (await health('ready')).status).toBe(200);
  });

  it('refuses messages with 503 while its disk is full, accepts them again afterwards, and delivers every accepted one', async ({
    skip,
  }) => {
    if (!hasOwnDisk) {
      if (isRequired('DISK'))
        throw new Error('no file system may be mounted here: this run requires a full disk');
      console.warn('SKIPPED: a full disk, because no file system may be mounted here');
      return skip();
    }
    const filler = join(postmesh.dataDir, 'filler');
    const instance = join(postmesh.dataDir, 'postgres', 'instance');
    const password = (await readFile(join(instance, 'password'), 'utf8')).trim();
    const port = (await readFile(join(instance, 'port'), 'utf8')).trim();
    const outputBefore = postmesh.output.length;
    await fill(filler);
    expect((await health('ready')).body.parts).toMatchObject({ disk: false });
    // PostgreSQL needs a new WAL file and cannot create one, so the server ends
    const client = new pg.Client(`postgresql://postgres:${password}@127.0.0.1:${port}/postgres`);
    client.on('error', () => undefined);
    await client.connect();
    // an empty WAL file is not switched
    const nextLogFile = `select pg_logical_emit_message(false, 'test', 'x', true), pg_switch_wal()`;
    const answers: Awaited<ReturnType<typeof send>>[] = [];
    await expect
      .poll(
        async () => {
          answers.push(...(await Promise.all(Array.from({ length: 10 }, () => send(randomText())))));
          await client.query(nextLogFile).catch(() => undefined);
          return (await health('ready')).body.parts.postgres;
        },
        { interval: 20 },
      )
      .toBe(false);
    await client.end().catch(() => undefined);
    for (let nth = 0; nth < 30; nth += 1) {
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => send('full')))));
    }
    expect((await health('live')).status).toBe(200);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.length).toBeGreaterThan(299);
    for (const { status, headers } of refused) {
      expect([status, headers.get('retry-after') !== null]).toEqual([503, true]);
    }
    // one line for each event and cause in half a minute, from the main thread and from the worker's
    const lines = postmesh.output.slice(outputBefore).split('\n');
    expect(lines.filter((line) => line.includes('"request.failed"')).length).toBeLessThan(20);
    expect(lines.length).toBeLessThan(200);
    await rm(filler);
    await expect.poll(async () => (await send('room')).status).toBe(202);
    await expect.poll(async () => (await health('ready')).status).toBe(200);
    await expectDelivered(answers.filter(({ status }) => status === 202));
  }, 240_000);

  it('waits for one that is just stopping, so that a restart needs no pause', async () => {
    const before = postmesh.credentials;
    const stopped = postmesh.stop();
    await postmesh.start();
    await stopped;
    expect(postmesh.credentials.api_key).toBe(before.api_key);
  });

  it('names a bad setting and does not start', async () => {
    const bad = await Installation.create({ POSTMESH_DELIVERY_CONCURRENCY: 'many' });
    await expect(bad.start()).rejects.toThrow(/POSTMESH_DELIVERY_CONCURRENCY: 'many' must be a whole number/);
    await bad.remove();
  });
});
