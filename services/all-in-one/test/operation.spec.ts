import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from './installation.js';

describe('the operational interface (architecture §5)', () => {
  let postmesh: Installation;
  beforeAll(async () => {
    postmesh = await Installation.create();
  });
  afterAll(() => postmesh?.remove());

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

  it('tells health and metrics without a token, everything else only with it', async () => {
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
      .poll(async () => (await postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`)).body.status, {
        timeout: 30_000,
      })
      .toBe('Delivered');
  }, 60_000);

  it('waits for one that is just stopping, so that a restart needs no pause', async () => {
    const before = postmesh.credentials;
    const stopped = postmesh.stop();
    await postmesh.start();
    await stopped;
    expect(postmesh.credentials.api_key).toBe(before.api_key);
  }, 60_000);

  it('names a bad setting and does not start', async () => {
    const bad = await Installation.create({ POSTMESH_DELIVERY_CONCURRENCY: 'many' });
    await expect(bad.start()).rejects.toThrow(/POSTMESH_DELIVERY_CONCURRENCY: 'many' must be a whole number/);
    await bad.remove();
  });
});
