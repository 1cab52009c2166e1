import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import {
  postfixProgram,
  startForeignMailHost,
  startHttpReceiver,
  type ForeignMailHost,
  type HttpReceiver,
} from '@postmesh/testing';
import { HousesClient } from '../houses-client.js';
import { eventually, sharedInstallation, unique } from './harness.js';
import { ok, Sender } from './sender.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let owner: Sender;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  owner = await Sender.make(postmesh);
});
afterAll(() => receiver?.close());

/** A route to the receiver. @returns its calls so far */
async function route(recipient: string, more: object = {}, of = owner) {
  const body = { name: 'In', url: receiver.url, recipient, ...more };
  const { id } = ok(await of.api('POST', '{A}/routes', body), 201);
  return () =>
    receiver.requests
      .map(({ body: bytes }) => JSON.parse(bytes.toString()))
      .filter(({ route_id }) => route_id === id);
}

interface Mail {
  to: readonly string[];
  from?: string;
  lines?: readonly string[];
  body?: string;
  messageId?: string;
}

/** Sends to the MX port with a foreign mail client. @returns the last reply to any command */
async function deliver(mail: Mail): Promise<string> {
  const { to, from = 'zoe@mail.test', lines = [], body = 'Works.' } = mail;
  const { messageId = `<${unique('m')}@mail.test>` } = mail;
  const transport = createTransport({
    host: '127.0.0.1',
    port: postmesh.credentials.smtp.mx_port,
    name: 'mail.test',
    requireTLS: true,
    tls: { rejectUnauthorized: false },
  });
  const header = ['From: Zoe <zoe@mail.test>', `Message-ID: ${messageId}`, ...lines];
  const raw = `${header.join('\r\n')}\r\n\r\n${body}\r\n`;
  try {
    return (await transport.sendMail({ envelope: { from, to: [...to] }, raw })).response;
  } catch (error) {
    const { response } = error as { response?: string };
    if (response === undefined) throw error;
    return response;
  } finally {
    transport.close();
  }
}

const idIn = (reply: string): string => /^250 2\.0\.0 OK (\S+)$/.exec(reply)?.[1] ?? reply;
const idOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

describe('spec 2-messages §16: inbound mail', () => {
  it('spec 2-messages §16 rule 1: is taken for an enabled route of an owned domain alone', async () => {
    const [open, closed] = [unique('open'), unique('closed')];
    await route(`${open}@${owner.domain}`);
    await route(`${closed}@${owner.domain}`, { enabled: false });
    expect(await deliver({ to: [`${open}@${owner.domain}`] })).toMatch(/^250 2\.0\.0 OK /);
    for (const to of [`${closed}@${owner.domain}`, `nobody@${owner.domain}`, 'x@not-ours.test']) {
      expect(await deliver({ to: [to] })).toMatch(/^550 5\.1\.1 /);
    }
  });

  it('spec 2-messages §16 rule 4: is an inbound record with Authentication-Results, fires message.reception and its route', async () => {
    const webhooks = await owner.webhook(receiver);
    const to = `${unique('ticket')}@${owner.domain}`;
    const calls = await route(to, { attachments: true, headers: true, strip_replies: true });
    const encoded = '=?UTF-8?Q?Re=3A_t=C3=AFcket_9?=';
    const forged = `Authentication-Results: mx.postmesh.test; spf=pass smtp.mailfrom=forged.test`;
    const id = idIn(
      await deliver({
        to: [to],
        lines: [`Subject: ${encoded}`, `To: ${to}`, forged],
        body: 'Works.\r\n\r\nOn Mon, 5 Jan 2026 at 11:59, Shop <a@shop.test> wrote:\r\n> Does it?',
      }),
    );
    const message = await owner.message(id);
    expect(message).toMatchObject({
      direction: 'inbound',
      status: 'Received',
      recipient: to,
      sender: 'zoe@mail.test',
      subject: 'Re: tïcket 9',
      is_bounce_notification: false,
      reference_message_id: null,
      num_attempts: 0,
      delivery_attempts: [],
      sent_at: null,
      tags: [],
    });
    expect(message.content.replaceAll(/\r\n[ \t]/g, ' ')).toMatch(
      /^Return-Path: <zoe@mail\.test>\r\nReceived: from mail\.test \(\[127\.0\.0\.1\]\) by mx\.\S+ with ESMTPS \(TLSv1\.3\) id \w+; \w{3}, [^\r]+ \+0000\r\nAuthentication-Results: mx\.[^;]+; /,
    );
    const sent =
      /\r\nFrom: Zoe <zoe@mail\.test>\r\nMessage-ID: \S+\r\nSubject: [^]*wrote:\r\n> Does it\?\r\n$/;
    expect(message.content).toMatch(sent);
    const works = expect.stringMatching(/^Works\.\n/);
    expect(message.content_parsed.parts).toEqual([{ content_type: 'text/plain', content: works }]);
    expect(message.content).not.toContain('forged.test');
    await eventually(() => calls().length).toBe(1);
    const [call] = calls();
    expect(call).toMatchObject({
      type: 'message.routing',
      data: {
        from: 'Zoe <zoe@mail.test>',
        reply_to: 'zoe@mail.test',
        to,
        subject: encoded,
        message_id: message.message_id,
        reply_from_plain_body: 'Works.',
        spam_score: 0,
        bounce: false,
        attachments: [],
        headers: { Subject: encoded },
      },
    });
    expect(call.data.id).toBe(id.replaceAll('-', ''));
    await eventually(() => webhooks().filter(({ data }) => idOf(data['id']) === id)).toMatchObject([
      { type: 'message.reception', data: { recipient: to, from: 'zoe@mail.test', subject: 'Re: tïcket 9' } },
    ]);
  });

  it('spec 2-messages §16 rule 8: a message of 20 MiB reaches its route whole', async () => {
    const to = `${unique('large')}@${owner.domain}`;
    const calls = await route(to, { attachments: true });
    const line = 'QUJD'.repeat(19);
    const lines = Math.floor((20 * 1024 * 1024 - 2_000) / (line.length + 2));
    const reply = await deliver({
      to: [to],
      lines: ['Content-Type: application/pdf; name=large.pdf', 'Content-Transfer-Encoding: base64'],
      body: Array.from({ length: lines }, () => line).join('\r\n'),
    });
    expect(reply).toMatch(/^250 /);
    await eventually(() => calls().length, 60_000).toBe(1);
    const [attachment] = calls()[0].data.attachments;
    expect([attachment.filename, attachment.data.length]).toEqual(['large.pdf', lines * line.length]);
  });

  it('§13.4 rule 1: a message beyond 20 MiB is refused', async () => {
    const to = `${unique('larger')}@${owner.domain}`;
    await route(to);
    const body = `${'x'.repeat(998)}\r\n`.repeat(Math.ceil((20 * 1024 * 1024) / 1_000) + 1);
    expect(await deliver({ to: [to], body })).toMatch(/^552 /);
  });
});

describe('spec 1-platform §13.4', () => {
  it('§13.4 rule 2: a domain of a deleted account takes nothing', async () => {
    const gone = await Sender.make(postmesh);
    const to = `in@${gone.domain}`;
    await route(to, {}, gone);
    expect(await deliver({ to: [to] })).toMatch(/^250 /);
    await postmesh.operator('DELETE', `/operator/accounts/accounts/${gone.account.id}`, { reason: 'x' });
    await eventually(() => deliver({ to: [to] }), 60_000).toMatch(/^550 /);
  });

  it('§13.4 rule 3: addresses of two domains are two deliveries, each with its own record', async () => {
    const other = await postmesh.verifiedDomain(owner.account);
    const local = unique('both');
    const [one, two] = [await route(`${local}@${owner.domain}`), await route(`${local}@${other}`)];
    await deliver({ to: [`${local}@${owner.domain}`, `${local}@${other}`] });
    await eventually(() => [one().length, two().length]).toEqual([1, 1]);
    const ids = [...one(), ...two()].map(({ data }) => idOf(data.id));
    const messages = await Promise.all(ids.map((id) => owner.message(id)));
    expect(messages.map(({ recipient }) => recipient)).toEqual([
      `${local}@${owner.domain}`,
      `${local}@${other}`,
    ]);
  });

  it('§13.4 rule 4: each envelope recipient is called, Bcc alike', async () => {
    const local = unique('many');
    const to = ['a', 'b', 'c'].map((name) => `${local}-${name}@${owner.domain}`);
    const calls = await route(`${local}-*@${owner.domain}`);
    await deliver({ to, lines: [`To: ${to[0]}`] });
    await eventually(() =>
      calls()
        .map(({ data }) => data.to)
        .toSorted(),
    ).toEqual(to);
  });
});

const program = postfixProgram();

describe.runIf(program)('spec 2-messages §16 rule 1: Postfix', () => {
  const address = '127.26.0.3';
  let postfix: ForeignMailHost;
  let port: number;
  beforeAll(async () => {
    port = await new HousesClient(postmesh).port();
    const { mx_port } = postmesh.credentials.smtp;
    postfix = await startForeignMailHost(program ?? '', {
      ...{
        address,
        port,
        host: 'mx.foreign.test',
        domains: [],
        tls: selfSignedCertificate(['mx.foreign.test']),
      },
      relay: { domains: [owner.domain], nextPort: mx_port, bouncesPort: mx_port },
    });
  });
  afterAll(() => postfix?.stop());

  it('delivers to our port over TLS, and every byte reaches the route', async () => {
    const to = `${unique('foreign')}@${owner.domain}`;
    const calls = await route(to, { attachments: true, headers: true });
    const text = '.\r\n..\r\n.allein am Anfang\r\nGrüße, こんにちは\r\nFrom here\r\n\r\n.\r\n';
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 31 + (at >> 9)) & 0xff));
    const transport = createTransport({
      host: address,
      port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    });
    await transport.sendMail({
      ...{ from: 'Zoë <zoe@foreign.test>', to, subject: 'Über Postfix' },
      text: { content: text, encoding: 'utf8', contentTransferEncoding: '8bit' } as never,
      attachments: [{ filename: 'größe.bin', content: bytes }],
    });
    transport.close();
    await eventually(() => calls().length, 30_000)
      .toBe(1)
      .catch(async (error: unknown) => {
        throw new Error(await postfix.log(), { cause: error });
      });
    const [{ data }] = calls();
    expect(data.plain_body.trimEnd()).toBe(text.trimEnd());
    expect(data.attachments[0]).toMatchObject({ filename: 'größe.bin', disposition: 'attachment' });
    expect(Buffer.from(data.attachments[0].data, 'base64').equals(bytes)).toBe(true);
    expect(data.headers['Received']).toMatch(
      /^from mx\.foreign\.test \(\[127\.0\.0\.1\]\) by mx\.\S+ with ESMTPS \(TLSv1\.3\) id /,
    );
    expect(data.headers['Return-Path']).toBe('<zoe@foreign.test>');
  });
});

describe('inbound records', () => {
  it('spec 2-messages §2.1: are in the list, by each filter, and scoped by the domain of the recipient', async () => {
    const to = `${unique('listed')}@${owner.domain}`;
    await route(to);
    const subject = unique('Found');
    const id = idIn(await deliver({ to: [to], lines: [`Subject: ${subject} here`] }));
    const { message_id } = await owner.message(id);
    const listed = async (query: string, key = owner.account.key) =>
      ok(await postmesh.api(key, 'GET', `{A}/messages?${query}`), 200).data.map(
        (one: { id: string; direction: string }) => [one.id, one.direction],
      );
    for (const query of [
      'status=Received',
      `subject=${subject.toUpperCase()}%20HERE`,
      `message_id_header=${encodeURIComponent(message_id)}`,
    ]) {
      expect(await listed(`recipient=${to}&sender=zoe@mail.test&${query}`)).toEqual([[id, 'inbound']]);
    }
    expect(await listed(`recipient=${to}&status=Delivered`)).toEqual([]);
    const key = await postmesh.newKey(owner.account, { scopes: [`messages:read:{${owner.domain}}`] });
    const other = await postmesh.verifiedDomain(owner.account);
    const foreign = await postmesh.newKey(owner.account, { scopes: [`messages:read:{${other}}`] });
    expect(await listed(`recipient=${to}`, key)).toEqual([[id, 'inbound']]);
    expect(await listed('', foreign)).toEqual([]);
    expect((await postmesh.api(key, 'GET', `{A}/messages/${id}`)).status).toBe(200);
    expect((await postmesh.api(foreign, 'GET', `{A}/messages/${id}`)).status).toBe(403);
  });

  it('spec 2-messages §2.2: a Message-ID that came back to its sender shows the outbound message first', async () => {
    const to = `${unique('back')}@${owner.domain}`;
    await route(to);
    const outbound = await owner.message(await owner.send(to, { sandbox: true }));
    const header = encodeURIComponent(outbound.message_id);
    const inbound = idIn(await deliver({ to: [to], messageId: outbound.message_id }));
    const read = ok(await owner.api('GET', `{A}/messages/${header}`), 200);
    expect([read.id, read.direction]).toEqual([outbound.id, 'outbound']);
    const { data } = ok(await owner.api('GET', `{A}/messages?message_id_header=${header}`), 200);
    expect(data.map(({ id }: { id: string }) => id)).toEqual([inbound, outbound.id]);
  });

  it('spec 1-platform §15.5: count in no statistics and no usage', async () => {
    const fresh = await Sender.make(postmesh);
    const to = `in@${fresh.domain}`;
    await route(to, {}, fresh);
    await deliver({ to: [to] });
    const rows = await postmesh.sql('select from messages.usage where account_id = $1', [fresh.account.id]);
    const facts = await postmesh.sql('select from messages.statistics_facts where account_id = $1', [
      fresh.account.id,
    ]);
    expect([rows, facts]).toEqual([[], []]);
  });
});
