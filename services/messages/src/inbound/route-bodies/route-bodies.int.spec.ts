import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startInbound, type InboundUnderTest } from '../../testing/inbound-under-test.js';

// proven again: the bytes in memory while a body of 20 MiB is read

const database = testDatabase();
let inbound: InboundUnderTest;
beforeAll(async () => {
  inbound = await startInbound(database.url);
});
afterAll(() => inbound?.stop());

const wanted = (message_id: string) => ({
  route_id: newId(),
  message_id,
  to: 'ticket-9@shop.test',
  occurred_at: '2026-01-05T11:00:00.250Z',
  attachments: true,
  headers: true,
  strip_replies: true,
});

async function receive(raw: string): Promise<string> {
  const result = await inbound.receive(raw);
  if (!result.ok) throw new Error(result.reply.text);
  return result.id;
}

const routeBody = (id: string) => inbound.internal('POST', '/internal/route-bodies', wanted(id));

it('spec 2-messages §19.4: the body of a route is made from the stored message', async () => {
  const raw = 'From: Zoe <zoe@mail.test>\r\nSubject: Hi\r\n\r\nWorks.\r\n';
  const { status, body } = await routeBody(await receive(raw));
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    size: raw.length,
    plain_body: 'Works.\r\n',
    reply_from_plain_body: 'Works.',
  });
  expect(body.data.headers['Authentication-Results']).toMatch(/^mx\.postmesh\.test;/);
});

it('can be read for a message of 20 MiB, repeatedly', async () => {
  const lines = `${'QUJD'.repeat(19)}\r\n`.repeat(Math.floor((20 * 1024 * 1024 - 500) / 78));
  const raw = `Content-Type: a/b; name=x\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}`;
  const id = await receive(raw);
  for (let nth = 0; nth < 3; nth++) {
    const { status, body } = await routeBody(id);
    expect(status).toBe(200);
    expect(body.data.attachments[0].data).toHaveLength((lines.length / 78) * 76);
  }
});

it('spec 2-messages §9 rule 3: is gone with the content', async () => {
  const id = await receive('Subject: Hi\r\n\r\nx\r\n');
  await inbound.sql('update send_requests set content_id = null where id = $1', [id]);
  expect((await routeBody(id)).status).toBe(404);
  expect((await routeBody(newId())).status).toBe(404);
});

it('is made from inbound messages only', async () => {
  const sent = await inbound.call('POST', `/v2/accounts/${inbound.accountId}/messages/conversation`, {
    body: { from: { email: 'a@shop.test' }, to: [{ email: 'b@mail.test' }], subject: 'x', text_content: 'x' },
  });
  const [{ id }] = sent.body.data as [{ id: string }];
  expect((await routeBody(id.slice(1, 37))).status).toBe(404);
});
