import { createHmac, createPublicKey, timingSafeEqual } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realPart, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { alertRules, boardQueries, metricsOf } from '../../../tools/observability.mjs';
import { submit } from './contract/smtp-client.js';
import { Installation } from './installation.js';
import { Prometheus } from './prometheus.js';
import {
  missingSteps,
  STEPS_OF_A_MESSAGE,
  STEPS_OF_A_SUBMISSION,
  TraceCollector,
} from './trace-collector.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const prometheusProgram = realPart('PROMETHEUS', process.env.PROMETHEUS);

/** Rounds of four messages, while Prometheus scrapes every second. */
const ROUNDS_OF_LOAD = 50;

interface Webhook {
  id: string;
  secret: string;
}

describe('the main job', () => {
  let postmesh: Installation;
  let receiver: HttpReceiver;
  let webhook: Webhook;
  let collector: TraceCollector;
  let prometheus: Prometheus | undefined;

  beforeAll(async () => {
    receiver = await startHttpReceiver();
    collector = await TraceCollector.start();
    postmesh = await Installation.create({
      POSTMESH_RETRY_DELAYS_S: '1,1,1',
      POSTMESH_DKIM_KEY_BITS: '',
      ...collector.settings,
    });
    await postmesh.start();
    if (prometheusProgram !== undefined)
      prometheus = await Prometheus.start(prometheusProgram, new URL(postmesh.credentials.operator_url).host);
    await postmesh.verifiedDomain('shop.test');
    const created = await postmesh.api('POST', '{A}/webhooks', {
      name: 'All',
      url: receiver.url,
      scope: 'global',
      on_reception: true,
      on_delivered: true,
      on_bounced: true,
      on_transient_error: true,
      on_failed: true,
    });
    expect(created.status).toBe(201);
    webhook = created.body as Webhook;
  });
  afterAll(async () => {
    await prometheus?.stop();
    await postmesh?.remove();
    await receiver?.close();
    await collector?.close();
  });

  const send = (change: object = {}) =>
    postmesh.api('POST', '{A}/messages/conversation', {
      from: { email: 'news@shop.test', name: 'Shop' },
      to: [{ email: 'ann@mail.test', name: 'Ann' }],
      subject: 'Your order',
      text_content: 'Thanks!',
      html_content: '<p>Thanks!</p>',
      ...change,
    });
  const read = async (id: string) =>
    (await postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`)).body;
  const statusOf = (id: string) => expect.poll(async () => (await read(id)).status);
  const events = (id: string) =>
    receiver.requests
      .map(
        ({ body }) =>
          JSON.parse(body.toString()) as {
            type: string;
            data: { message_id_header: string; recipient: string; delivery_attempt?: object };
          },
      )
      .filter(({ data }) => data.message_id_header === id);

  it('takes a conversation, delivers it signed to every recipient, and calls the webhook', async () => {
    const sent = await send({
      cc: [{ email: 'boss@corp.test' }],
      bcc: [{ email: 'log@corp.test' }],
    });
    expect(sent.status).toBe(202);
    expect(sent.body.data).toHaveLength(3);
    const id = sent.body.data[0].id as string;
    await statusOf(id).toBe('Delivered');
    const list = () => postmesh.mailbox('/api/messages?subject=Your%20order');
    await expect.poll(async () => (await list()).body.messages.length).toBe(3);
    const messages = (await list()).body.messages as {
      id: string;
      to: string[];
      auth: object;
      tls: boolean;
      envelope_from: string;
    }[];
    expect(messages.map(({ to }) => to[0]).sort()).toEqual([
      'ann@mail.test',
      'boss@corp.test',
      'log@corp.test',
    ]);
    for (const message of messages) {
      expect(message.auth).toEqual({ spf: 'pass', dkim: 'pass', dmarc: 'pass' });
      expect(message.tls).toBe(true);
      expect(message.envelope_from).toMatch(/^b\+[a-z2-7]{42}@rp\.shop\.test$/);
    }
    const raw = (await postmesh.mailbox(`/api/messages/${messages[0]?.id}/raw`)).body as string;
    expect(raw).toContain(`Message-ID: ${id}`);
    expect(raw).toMatch(/^To: Ann <ann@mail\.test>\r?$/m);
    expect(raw).toMatch(/^Cc: boss@corp\.test\r?$/m);
    expect(raw).not.toContain('log@corp.test');
    const message = await read(id);
    expect(message).toMatchObject({ num_attempts: 1, recipient: 'ann@mail.test', bounce_classification: '' });
    expect(message.delivery_attempts).toHaveLength(1);
    expect(message.delivery_attempts[0]).toMatchObject({
      status: 'Delivery',
      log: expect.stringMatching(/^250/),
    });
    await expect
      .poll(() =>
        events(id)
          .map(({ type }) => type)
          .sort(),
      )
      .toEqual([
        'message.delivered',
        'message.delivered',
        'message.delivered',
        'message.reception',
        'message.reception',
        'message.reception',
      ]);
  });

  it('§11.7 rule 1 keys are RSA 2048, and our zone has both public keys behind the aliases', async () => {
    const { dns_records } = (await postmesh.api('GET', '{A}/domains/shop.test')).body;
    const { serviceRecords } = (await postmesh.operator('GET', '/operator/domains/zone')).body;
    const keys = ['DKIM', 'DKIM standby'].map((wanted) => {
      const alias = dns_records.find(({ label }: { label: string }) => label === wanted);
      return serviceRecords.find(({ host }: { host: string }) => host === alias.content).content as string;
    });
    expect(new Set(keys).size).toBe(2);
    for (const text of keys) {
      const [, key = ''] = /^v=DKIM1; k=rsa; p=(\S+)$/.exec(text) ?? [];
      const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
        key: Buffer.from(key, 'base64'),
        format: 'der',
        type: 'spki',
      });
      expect([asymmetricKeyType, asymmetricKeyDetails?.modulusLength]).toEqual(['rsa', 2048]);
    }
  });

  it('signs each webhook call so that its receiver can prove it', async () => {
    expect(receiver.requests.length).toBeGreaterThan(0);
    for (const { headers, body } of receiver.requests) {
      const id = String(headers['webhook-id']);
      const timestamp = String(headers['webhook-timestamp']);
      const signature = Buffer.from(String(headers['webhook-signature']).replace(/^v1,/, ''), 'base64');
      const expected = createHmac('sha256', webhook.secret)
        .update(`${id}.${timestamp}.`)
        .update(body)
        .digest();
      expect(timingSafeEqual(expected, signature)).toBe(true);
      expect(JSON.parse(body.toString())).toMatchObject({ webhook_id: webhook.id });
    }
  });

  it('says Bounced for a 550 and does not try again', async () => {
    const sent = await send({ to: [{ email: 'bounce-1@mail.test' }] });
    const id = sent.body.data[0].id as string;
    await statusOf(id).toBe('Bounced');
    expect(await read(id)).toMatchObject({ num_attempts: 1, bounce_classification: 'InvalidRecipient' });
    await expect.poll(() => events(id).map(({ type }) => type)).toContain('message.bounced');
  });

  it('says Deferred for a 451, tries again, and fails when the retries are used up', async () => {
    const sent = await send({ to: [{ email: 'defer-1@mail.test' }] });
    const id = sent.body.data[0].id as string;
    await statusOf(id).toBe('Deferred');
    await expect.poll(async () => (await read(id)).num_attempts).toBeGreaterThan(1);
    await statusOf(id).toBe('Failed');
    const failed = await read(id);
    // the classification of the message, not of its last reply
    expect(failed).toMatchObject({ num_attempts: 4, bounce_classification: 'MessageExpired' });
    expect(failed.delivery_attempts.at(-1)).toMatchObject({ status: 'Expiration' });
    await expect.poll(() => events(id).map(({ type }) => type)).toContain('message.failed');
    const called = events(id);
    expect(called.map(({ type }) => type)).toContain('message.transient_error');
    const last = called.find(({ type }) => type === 'message.failed');
    expect(last?.data.delivery_attempt).toBeUndefined();
  });

  it('delivers on the second try to a server with greylisting', async () => {
    const sent = await send({ to: [{ email: 'greylist-1@mail.test' }] });
    const id = sent.body.data[0].id as string;
    await statusOf(id).toBe('Delivered');
    expect(await read(id)).toMatchObject({ num_attempts: 2 });
  });

  it('takes a lost connection for temporary, also after the final dot', async () => {
    for (const local of ['drop-1', 'dropdot-1']) {
      const sent = await send({ to: [{ email: `${local}@mail.test` }] });
      const id = sent.body.data[0].id as string;
      await expect.poll(async () => (await read(id)).num_attempts).toBeGreaterThan(1);
      const message = await read(id);
      expect(['Deferred', 'Failed']).toContain(message.status);
      expect(message.message_id).toBe(id);
    }
  });

  it('bounces at once for a domain that does not exist', async () => {
    const sent = await send({ to: [{ email: 'ann@nodns-here.test' }] });
    const id = sent.body.data[0].id as string;
    await statusOf(id).toBe('Bounced');
    expect(await read(id)).toMatchObject({ bounce_classification: 'BadDomain' });
  });

  it('refuses a domain whose records are not published', async () => {
    const created = await postmesh.api('POST', '{A}/domains', { domain: 'nodns-shop.test' });
    expect(created.body.dns_valid).toBe(false);
    const checked = await postmesh.api('POST', '{A}/domains/nodns-shop.test/check-dns');
    expect(checked.body.dns_valid).toBe(false);
    const sent = await send({ from: { email: 'a@nodns-shop.test' } });
    expect([sent.status, sent.body.message]).toEqual([
      400,
      "domain 'nodns-shop.test' does not have valid DNS records",
    ]);
  });

  it('plays the sandbox outcomes without speaking to anybody', async () => {
    for (const [result, status] of [
      ['deliver', 'Sandbox Delivered'],
      ['bounce', 'Sandbox Bounced'],
      ['defer', 'Sandbox Deferred'],
      ['fail', 'Sandbox Failed'],
      ['suppress', 'Sandbox Suppressed'],
    ]) {
      const sent = await send({
        to: [{ email: `sandbox-${result}@nowhere.example` }],
        sandbox: true,
        sandbox_result: result,
      });
      await statusOf(sent.body.data[0].id as string).toBe(status);
    }
  });

  it('delivers a 19 MiB message unchanged', async () => {
    const bytes = Buffer.alloc(13_500_000, 'postmesh ');
    const sent = await send({
      to: [{ email: 'large@mail.test' }],
      subject: 'Large',
      attachments: [
        {
          data: bytes.toString('base64'),
          base64: true,
          content_type: 'application/octet-stream',
          file_name: 'a.bin',
        },
      ],
    });
    expect(sent.status).toBe(202);
    await statusOf(sent.body.data[0].id as string).toBe('Delivered');
    const { body } = await postmesh.mailbox('/api/messages?to=large@mail.test');
    const raw = (await postmesh.mailbox(`/api/messages/${body.messages[0].id}/raw`)).body as string;
    const encoded = /filename="?a\.bin"?[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)\r\n--/.exec(raw)?.[1] ?? '';
    expect(Buffer.from(encoded, 'base64').equals(bytes)).toBe(true);
    expect(body.messages[0].auth.dkim).toBe('pass');
  });

  /** The API responds with a Message-ID, SMTP with the id alone. */
  const uuidOf = (id: string) => /[0-9a-f-]{36}/.exec(id)?.[0] ?? '';
  const expectTraced = async (id: string, steps: typeof STEPS_OF_A_MESSAGE, ...secrets: string[]) => {
    await expect.poll(() => missingSteps(collector.ofMessage(uuidOf(id)), steps)).toEqual([]);
    expect(collector.text).toContain('webhook.attempt');
    for (const text of ['mail.test', 'shop.test', receiver.url, ...secrets])
      expect(collector.text).not.toContain(text);
  };

  it('is traced from the client to the webhook, each step after the one before it, without a word of it', async () => {
    const sent = await send({ to: [{ email: 'traced@mail.test' }], subject: 'Not to be traced' });
    await expectTraced(sent.body.data[0].id as string, STEPS_OF_A_MESSAGE, 'Not to be traced', 'Your order');
  });

  it('is traced in the same way when it was submitted by SMTP', async () => {
    const login = await postmesh.api('POST', '{A}/smtp-credentials', { name: 'Traced', scope: 'global' });
    expect(login.status).toBe(201);
    const { username: user, password: pass } = login.body as { username: string; password: string };
    const { reply, id } = await submit(
      postmesh,
      { user, pass },
      {
        envelope: { from: 'news@shop.test', to: ['submitted@mail.test'] },
        from: 'news@shop.test',
        to: 'submitted@mail.test',
        subject: 'Not for traces',
        text: 'Thanks!',
      },
    );
    expect(reply).toMatch(/^250 /);
    await expectTraced(id, STEPS_OF_A_SUBMISSION, 'Not for traces', user, pass);
  });

  describe.runIf(prometheusProgram)('seen by Prometheus', () => {
    const one = () => {
      if (!prometheus) throw new Error('Prometheus was not started');
      return prometheus;
    };

    it('exposes every metric that alerts and board name, and every alert can be evaluated', async () => {
      const queries = [
        ...alertRules(ROOT).map(({ text }) => text),
        ...boardQueries().map(({ query }) => query),
      ];
      const named = new Set(queries.flatMap(metricsOf));
      const exposed = await one().metrics();
      expect([...named].filter((name) => !exposed.has(name))).toEqual([]);
      await expect
        .poll(async () => (await one().rules()).map(({ name, health }) => [name, health]))
        .toEqual(alertRules(ROOT).map(({ name }) => [name, 'ok']));
      expect((await one().rules()).filter(({ state }) => state === 'firing')).toEqual([]);
    });

    it('fills every panel of the board, under load', async () => {
      const all = async (...locals: string[]) => {
        const sent = await Promise.all(
          locals.map((local) => send({ to: [{ email: `${local}@mail.test` }] })),
        );
        expect(sent.map(({ status }) => status)).toEqual(locals.map(() => 202));
      };
      await all('bounce-board', 'defer-board', 'drop-board');
      for (let round = 0; round < ROUNDS_OF_LOAD; round += 1)
        await all(...[1, 2, 3, 4].map((nth) => `board-${round}-${nth}`));
      const unfilled = async () => {
        const panels = await Promise.all(
          boardQueries().map(async ({ panel, query }) => {
            const samples = await one().query(query.replaceAll('$__rate_interval', '5m'));
            return samples.some(({ value: [, value] }) => Number.isFinite(Number(value)))
              ? []
              : [panel, query];
          }),
        );
        return panels.filter((panel) => panel.length > 0);
      };
      await expect.poll(unfilled, { interval: 1_000 }).toEqual([]);
    });
  });
});
