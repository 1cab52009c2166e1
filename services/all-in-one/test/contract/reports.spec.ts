import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import {
  postfixProgram,
  startForeignMailHost,
  startHttpReceiver,
  type ForeignMailHost,
  type HttpReceiver,
} from '@postmesh/testing';
import { HousesClient } from '../houses-client.js';
import { publishZone } from './dns-zones.js';
import { eventually, sharedInstallation, unique } from './harness.js';
import { ok, Sender, typesOf } from './sender.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let sender: Sender;

beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  sender = await Sender.make(postmesh);
});

/** A host that takes the message, and bounces it or complains a moment later. */
const address = (behaviour: 'latebounce' | 'complain' | 'bounce') => `${unique(behaviour)}@mail.test`;

interface Row {
  reason: string;
  protected: boolean;
  domain: string;
  created_at: string;
  expires_at: string;
}
const suppressions = async (to: string): Promise<Row[]> =>
  ok(await sender.api('GET', `{A}/suppressions?email=${encodeURIComponent(to)}`), 200).data;

/** The messages to an address, raw, with their envelopes. */
async function mailTo(to: string): Promise<{ envelope_from: string; raw: string }[]> {
  const { body } = await postmesh.mailbox(`/api/messages?to=${encodeURIComponent(to)}`);
  const messages = body.messages as { id: string; envelope_from: string }[];
  return Promise.all(
    messages.map(async ({ id, envelope_from }) => ({
      envelope_from,
      raw: (await postmesh.mailbox(`/api/messages/${id}/raw`)).bytes.toString(),
    })),
  );
}

describe('spec 2-messages §15.4', () => {
  it('a bounce that comes after the delivery: Bounced, an event without an attempt, a record that refers to it', async () => {
    const calls = await sender.webhook(receiver);
    const to = address('latebounce');
    const id = await sender.send(to);
    const message = await sender.becomes(id, 'Bounced');
    expect(message).toMatchObject({
      bounce_classification: 'InvalidRecipient',
      num_attempts: 1,
      delivered_at: expect.any(String),
      delivery_attempts: [
        { status: 'Delivery' },
        { status: 'Bounce', log: expect.stringContaining('5.1.1') },
      ],
    });
    await eventually(() => typesOf(calls(), id)).toEqual([
      'message.reception',
      'message.delivered',
      'message.bounced',
    ]);
    const bounced = calls().find(({ type, data }) => type === 'message.bounced' && data['recipient'] === to);
    expect(bounced?.data).not.toHaveProperty('delivery_attempt');
    await eventually(async () => (await suppressions(to)).map(({ reason }) => reason)).toEqual([
      'Too many hard bounces',
    ]);
    const { data } = ok(await sender.api('GET', '{A}/messages'), 200);
    const records = (data as { id: string; direction: string }[]).filter(
      ({ direction }) => direction === 'inbound',
    );
    expect(records).toMatchObject([
      { is_bounce_notification: true, reference_message_id: expect.any(Number), status: 'Received' },
    ]);
    expect((await sender.message(records[0]!.id)).content).toContain('Action: failed');
    // it is not published as an inbound message
    expect(calls().filter(({ type }) => type === 'message.reception')).toHaveLength(1);
  });

  it('an address whose token is not ours takes nothing', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: postmesh.credentials.smtp.mx_port,
      tls: { rejectUnauthorized: false },
    });
    const to = `b+${'a'.repeat(42)}@rp.${sender.domain}`;
    const sent = transport.sendMail({ envelope: { from: '', to: [to] }, raw: 'Subject: x\r\n\r\nx\r\n' });
    await expect(sent).rejects.toMatchObject({
      responseCode: 550,
      response: expect.stringMatching(/^550 5\.1\.1 /),
    });
    transport.close();
  });
});

it('spec 2-messages §15.5 a complaint suppresses for good and protected, and changes no status', async () => {
  const calls = await sender.webhook(receiver);
  const to = address('complain');
  const id = await sender.send(to);
  await eventually(() => suppressions(to)).toMatchObject([
    {
      reason: 'FBL Complaint Report',
      protected: true,
      domain: sender.domain,
      expires_at: '9999-12-31T23:59:59Z',
    },
  ]);
  expect((await sender.message(id)).status).toBe('Delivered');
  const eventsOfRecipient = () => calls().filter(({ data }) => data['recipient'] === to);
  await eventually(() =>
    eventsOfRecipient()
      .map(({ type }) => type)
      .sort(),
  ).toEqual(['message.delivered', 'message.reception', 'suppression.created']);
});

describe('spec 2-messages §15.6', () => {
  const wants = (to: string) =>
    sender.api('PUT', `{A}/domains/${sender.domain}`, { dsn_recipient: to }).then((put) => ok(put, 200));

  it('the sender of a domain gets one mail for each bounce, at once or later', async () => {
    const inbox = `${unique('dsn')}@inbox.test`;
    await wants(inbox);
    const ids = [await sender.send(address('bounce')), await sender.send(address('latebounce'))];
    for (const id of ids) await sender.becomes(id, 'Bounced');
    await eventually(async () => (await mailTo(inbox)).length, 30_000).toBe(2);
    for (const { envelope_from, raw } of await mailTo(inbox)) {
      expect(envelope_from).toBe('');
      const mail = await PostalMime.parse(raw);
      expect(mail.from?.address).toMatch(/^mailer-daemon@/);
      expect(raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
      expect(raw).toMatch(/^Content-Type: multipart\/report; report-type=delivery-status;/m);
      expect(raw).toContain('\r\nAction: failed\r\nStatus: 5.1.1\r\n');
      expect(raw).toMatch(/^DKIM-Signature: /m);
      expect(ids.some((id) => raw.includes(`Message-ID: <${id}@${sender.domain}>`))).toBe(true);
    }
    const { data } = ok(await sender.api('GET', '{A}/messages'), 200);
    const outbound = (data as { direction: string }[]).filter(({ direction }) => direction === 'outbound');
    expect(outbound).toHaveLength(2);
  });

  it('else by the account’s default, and without a mail for a report that cannot be delivered itself', async () => {
    const inbox = `${unique('dsn-default')}@inbox.test`;
    const path = `/operator/domains/accounts/${sender.account.id}/settings`;
    ok(await postmesh.operator('PUT', path, { dsn_recipient: inbox }), 200);
    const id = await sender.send(address('bounce'));
    await sender.becomes(id, 'Bounced');
    await eventually(async () => (await mailTo(inbox)).length, 30_000).toBe(1);
    // its own mailbox no longer exists: that report bounces, and no report about it follows
    await wants(address('bounce'));
    const next = await sender.send(address('bounce'));
    await sender.becomes(next, 'Bounced');
    const ended = `select status from messages.messages m join messages.send_requests s on s.id = m.send_request_id
      where s.kind = 'report' and m.recipient like 'bounce%' and s.created_at >= (
        select created_at from messages.messages where id = $1)`;
    await eventually(() => postmesh.sql(ended, [next]), 30_000).toEqual([{ status: 'Bounced' }]);
    await eventually(() =>
      postmesh.sql('select from messages.dsn_requests where account_id = $1', [sender.account.id]),
    ).toEqual([]);
    expect(await mailTo(inbox)).toHaveLength(1);
  });
});

const program = postfixProgram();
const FOREIGN = 'relayed.test';
// its own mail host is out of reach: only a relay can deliver there
const UNREACHABLE = 'by-relay.test';
const FOREIGN_ADDRESS = '127.26.0.2';

describe.runIf(program)('spec 2-messages §15.4: Postfix, which takes a message and cannot pass it on', () => {
  let postfix: ForeignMailHost;
  beforeAll(async () => {
    const port = await new HousesClient(postmesh).port();
    const host = `mx.${FOREIGN}`;
    postfix = await startForeignMailHost(program ?? '', {
      ...{ address: FOREIGN_ADDRESS, port, host, domains: [], tls: selfSignedCertificate([host]) },
      relay: {
        domains: [FOREIGN, UNREACHABLE],
        nextPort: port,
        bouncesPort: postmesh.credentials.smtp.mx_port,
      },
    });
    await publishZone(postmesh, FOREIGN, {
      records: [
        { type: 'MX', host: FOREIGN, content: `10 ${host}` },
        { type: 'A', host, content: FOREIGN_ADDRESS },
      ],
    });
    await publishZone(postmesh, UNREACHABLE, {
      records: [
        { type: 'MX', host: UNREACHABLE, content: `10 mx.${UNREACHABLE}` },
        { type: 'A', host: `mx.${UNREACHABLE}`, content: '127.26.0.9' },
      ],
    });
  });
  afterAll(() => postfix?.stop());

  it('bounces it to our MX port over TLS: Bounced, suppressed, with its event', async () => {
    const calls = await sender.webhook(receiver);
    const to = `${unique('bounce')}@${FOREIGN}`;
    const id = await sender.send(to);
    const message = await sender.becomes(id, 'Bounced', 60_000).catch(async (error: unknown) => {
      throw new Error(await postfix.log(), { cause: error });
    });
    expect(message).toMatchObject({
      bounce_classification: 'InvalidRecipient',
      delivery_attempts: [
        { status: 'Delivery' },
        { status: 'Bounce', log: expect.stringContaining('550 5.1.1 no mailbox here by that name') },
      ],
    });
    await eventually(async () => (await suppressions(to)).map(({ reason }) => reason)).toEqual([
      'Too many hard bounces',
    ]);
    await eventually(() => typesOf(calls(), id)).toContain('message.bounced');
  });

  it('as the relay of a pool: the bounce that it sends and the complaint about its mail are those of a direct delivery', async () => {
    const pool = unique('pool').toLowerCase();
    const put = async (path: string, body: object) =>
      ok(await postmesh.operator('PUT', `/operator/delivery-worker/egress/${path}`, body), 200);
    await put(`pools/${pool}`, {});
    const port = await new HousesClient(postmesh).port();
    // its certificate is self-signed
    const tls = { tls: 'opportunistic', allow_plaintext: true };
    await put(`relays/${pool}`, { pool, host: FOREIGN_ADDRESS, port, ...tls });
    await put(`pools/${pool}`, { order: 'relays' });
    await put(`rules/${pool}`, { pool, sending_domain: sender.domain });
    const [bounced, complained] = [
      `${unique('bounce')}@${UNREACHABLE}`,
      `${unique('complain')}@${UNREACHABLE}`,
    ];
    const [id, liked] = [await sender.send(bounced), await sender.send(complained)];
    expect(await sender.becomes(id, 'Bounced', 60_000)).toMatchObject({
      bounce_classification: 'InvalidRecipient',
      delivery_attempts: [
        { status: 'Delivery' },
        { status: 'Bounce', log: expect.stringContaining('550 5.1.1 no mailbox here by that name') },
      ],
    });
    const reasons = async (to: string) => (await suppressions(to)).map(({ reason }) => reason);
    await eventually(() => reasons(bounced)).toEqual(['Too many hard bounces']);
    await eventually(() => reasons(complained), 30_000).toEqual(['FBL Complaint Report']);
    expect((await sender.message(liked)).status).toBe('Delivered');
    for (const kind of ['rules', 'relays', 'pools'])
      ok(await postmesh.operator('DELETE', `/operator/delivery-worker/egress/${kind}/${pool}`), 200);
  });
});
