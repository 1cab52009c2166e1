import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from '@postmesh/testing';
import { eventually, expectError, ownInstallation, unique } from './harness.js';
import { ok, Sender } from './sender.js';

// Short waits after failures and between probes, so that all tries fit into a test.
const postmesh = ownInstallation({
  POSTMESH_WEBHOOK_RETRIES: '1,2,4,8,16',
  POSTMESH_WEBHOOK_RETRY_SCALE: '0.01',
  POSTMESH_WEBHOOK_TIMEOUT_S: '2',
});
let sender: Sender;
let receiver: HttpReceiver;
let [id, secret] = ['', ''];

beforeAll(async () => {
  receiver = await startHttpReceiver();
  sender = await Sender.make(postmesh);
  const webhook = ok(await sender.api('POST', '{A}/webhooks', webhookTo(`${receiver.url}/hook`)), 201);
  ({ id, secret } = webhook);
});
afterAll(() => receiver.close());
afterEach(() => receiver.respondWith({}));

const POSTMESH = fileURLToPath(new URL('../../../../tools/postmesh.mjs', import.meta.url));

const webhookTo = (url: string, more: object = {}) => ({
  name: unique('calls'),
  url,
  scope: 'global',
  on_reception: true,
  ...more,
});

/** The calls of one message, in their order. */
async function callsOf(count: number, path = '/hook', timeoutMs = 60_000): Promise<ReceivedRequest[]> {
  const recipient = `ann@${unique('mail')}.mail.test`;
  await sender.send(recipient);
  const own = ({ body, path: at }: ReceivedRequest) => at.startsWith(path) && body.includes(recipient);
  return [...(await receiver.waitFor(count, { where: own, timeoutMs }))].filter(own);
}

/** Verifies as a receiver without our library: plain openssl. */
async function opensslMac({ headers, body }: ReceivedRequest): Promise<string> {
  const signed = Buffer.concat([
    Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`),
    body,
  ]);
  const running = promisify(execFile)('openssl', ['dgst', '-sha256', '-hmac', secret, '-binary'], {
    encoding: 'buffer',
  });
  running.child.stdin?.end(signed);
  return (await running).stdout.toString('base64');
}

describe('spec 2-messages §18 a call of a webhook', () => {
  it('spec 2-messages §18 rule 1, §18 rule 3 is a POST of JSON that plain openssl verifies', async () => {
    const [call] = await callsOf(1);
    expect(call!.method).toBe('POST');
    expect(call!.headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(call!.body.toString())).toMatchObject({ type: 'message.reception', webhook_id: id });
    expect(call!.headers['webhook-signature']).toBe(`v1,${await opensslMac(call!)}`);
  });

  it('spec 2-messages §18 rule 4 is signed with a secret of 64 characters behind its prefix', () => {
    expect(secret).toMatch(/^[a-z]{2,}-whsec-[A-Za-z0-9]{64}$/);
  });

  it('spec 2-messages §18 rule 2, §18 rule 10, §18 rule 11 is tried as often as the setting says with one id, signed anew each time', async () => {
    receiver.respondWith({ status: 500 });
    const calls = await callsOf(6);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(calls[0]!.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(new Set(calls.map(({ body }) => body.toString())).size).toBe(1);
    for (const call of calls) {
      expect(call.headers['webhook-signature']).toBe(`v1,${await opensslMac(call)}`);
      expect(Math.abs(Number(call.headers['webhook-timestamp']) * 1_000 - call.at.getTime())).toBeLessThan(
        5_000,
      );
    }
    // the waits of the setting less ten per cent, a hundredth of them here
    const waits = calls.slice(1).map(({ at }, nth) => at.getTime() - calls[nth]!.at.getTime());
    [9, 18, 36, 72, 144].forEach((least, nth) => expect(waits[nth]).toBeGreaterThanOrEqual(least - 5));
    await eventually(async () => (await delivery(calls[0]!)).ended).toMatchObject({ outcome: 'dropped' });
    expect((await delivery(calls[0]!)).attempts).toHaveLength(6);
  });

  it('spec 2-messages §18 rule 5 succeeds with any 2xx, also behind redirects that keep method, body and headers', async () => {
    const target = `${receiver.url}/moved/end`;
    receiver.respondWith(({ path }) => {
      if (path === '/hook') return { status: 302, headers: { location: '/moved/1' } };
      if (path === '/moved/1') return { status: 307, headers: { location: '/moved/2' } };
      return path === '/moved/2' ? { status: 308, headers: { location: target } } : { status: 299 };
    });
    const [first, second, third, last] = await callsOf(4, '/');
    expect([first, second, third, last].map((call) => call!.path)).toEqual([
      '/hook',
      '/moved/1',
      '/moved/2',
      '/moved/end',
    ]);
    for (const call of [second, third, last]) {
      expect(call).toMatchObject({ method: 'POST', body: first!.body });
      expect(call!.headers['webhook-signature']).toBe(first!.headers['webhook-signature']);
    }
    await eventually(async () => (await delivery(first!)).attempts).toMatchObject([
      { outcome: 'succeeded', status: 299, redirects: 3 },
    ]);
  });

  it.each<[string, number, object]>([
    ['a 303', 1, { status: 303, headers: { location: '/moved/end' } }],
    ['a redirect without an end', 4, { status: 307, headers: { location: '/hook' } }],
    ['an answer that comes too late', 1, { delayMs: 2_500 }],
    ['a cut connection', 1, { hangUp: true }],
    ['a 404', 1, { status: 404 }],
  ])('spec 2-messages §18 rule 5 fails by %s', async (_, calls, response) => {
    receiver.respondWith(response);
    const [first] = await callsOf(calls);
    receiver.respondWith({});
    await eventually(async () => (await delivery(first!)).attempts.at(-1)).toMatchObject({
      outcome: 'succeeded',
    });
    expect((await delivery(first!)).attempts[0]).toMatchObject({ outcome: 'retried' });
  });

  it('spec 2-messages §18 rule 9 never reaches a private network, by address, by name or by redirect', async () => {
    const hidden = { status: 307, headers: { location: 'http://10.0.0.1/' } };
    receiver.respondWith(() => hidden);
    const [first] = await callsOf(1);
    await eventually(async () => (await delivery(first!)).attempts[0]).toMatchObject({
      status: null,
      reason: 'address-refused (Error)',
    });
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/']) {
      expect((await sender.api('POST', '{A}/webhooks', webhookTo(url))).status, url).toBe(400);
    }
  });
});

describe('missed calls of an endpoint', () => {
  const again =
    (first: ReceivedRequest) =>
    ({ headers }: ReceivedRequest) =>
      headers['webhook-id'] === first.headers['webhook-id'];
  const dropped = async (): Promise<ReceivedRequest> => {
    receiver.respondWith({ status: 503, body: 'closed for today' });
    const [first] = await callsOf(6);
    await eventually(async () => (await delivery(first!)).ended).toMatchObject({ outcome: 'dropped' });
    return first!;
  };

  it('are listed with their failure while it is failing, and recovered by an operator with the same webhook-id', async () => {
    const since = new Date().toISOString();
    const first = await dropped();
    expect(await command('webhook-attempts', id, '--failed')).toContain('closed for today');
    await eventually(() => command('webhooks', '--troubled')).toContain(
      `npx postmesh webhook-recover ${id} --since `,
    );
    expect(await command('doctor').catch(({ stdout }: { stdout: string }) => stdout)).toMatch(
      /NO +webhook .* succeeds .*answered 503.*npx postmesh webhook-attempts/,
    );
    receiver.respondWith({});
    receiver.clear();
    const shown = await command('webhook-recover', id, '--since', since, '--json');
    expect(JSON.parse(shown)).toMatchObject({ kind: 'recover', replayed: 1, skipped: 0, succeeded: 1 });
    const [replayed] = (await receiver.waitFor(1, { where: again(first) })).filter(again(first));
    expect(replayed!.body).toEqual(first.body);
    expect(replayed!.headers['webhook-signature']).toBe(`v1,${await opensslMac(replayed!)}`);
    expect(await command('webhook-replays', '--endpoint', id)).toContain('recover');
    await eventually(() => command('webhooks', '--troubled')).toContain('no endpoints');
  });

  it('are recovered by a member, with those of the time while it was disabled, and not sent before', async () => {
    const hook = ok(await sender.api('POST', '{A}/webhooks', webhookTo(`${receiver.url}/own`)), 201);
    const enable = (enabled: boolean) => sender.api('PUT', `{A}/webhooks/${hook.id}`, { enabled });
    ok(await enable(false), 200);
    expectError(await sender.api('POST', `{A}/webhooks/${hook.id}/recover`), 409, 'webhook is disabled');
    // the other webhook of the account is called, so the event is matched
    const [other] = await callsOf(1);
    ok(await enable(true), 200);
    const [later] = await callsOf(1, '/own');
    expect(later!.body.toString()).not.toEqual(other!.body.toString());
    expect(ok(await sender.api('POST', `{A}/webhooks/${hook.id}/recover`, {}), 202)).toEqual({
      message: 'recovery started',
    });
    const own = await receiver.waitFor(2, { where: ({ path }) => path === '/own' });
    const recovered = own
      .filter(({ path }) => path === '/own')
      .map(({ body }) => JSON.parse(body.toString()));
    expect(recovered).toHaveLength(2);
    expect(recovered[1].data.recipient).toBe(JSON.parse(other!.body.toString()).data.recipient);
    expect(recovered[1].webhook_id).toBe(hook.id);
  });
});

/** `npx postmesh …` */
async function command(...words: string[]): Promise<string> {
  const { operator_url, operator_token } = postmesh.credentials;
  const env = {
    ...process.env,
    POSTMESH_OPERATOR_URL: operator_url.replace('//localhost:', '//127.0.0.1:'),
    POSTMESH_OPERATOR_TOKEN: operator_token,
  };
  return (await promisify(execFile)(process.execPath, [POSTMESH, ...words], { env })).stdout;
}

/** The webhook in the operator interface. */
async function delivery(call: ReceivedRequest) {
  const { body } = await postmesh.operator(
    'GET',
    `/operator/webhook-dispatcher/deliveries/${await deliveryIdOf(call)}`,
  );
  return body as { ended: object | null; attempts: object[] };
}

async function deliveryIdOf(call: ReceivedRequest): Promise<string> {
  const digits = String(call.headers['webhook-id']).slice('msg_'.length);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
