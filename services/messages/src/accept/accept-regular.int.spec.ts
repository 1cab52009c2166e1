import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

const database = testDatabase();
let under: SendsUnderTest;

beforeAll(async () => {
  under = await startSends(database.url);
});
afterAll(() => under?.stop());

const MESSAGE = {
  from: { email: 'Orders@Shop.test', name: 'Shop' },
  recipients: [
    { email: 'ann@mail.test', name: 'Ann', substitutions: { order: 'A-17' } },
    { email: 'BOB@mail.test' },
  ],
  subject: 'Order {{ order }}',
  text_content: 'Thanks, {{ name }}!',
  substitutions: { name: 'friend', order: '?' },
};
const send = (more: object = {}) => under.send('', { ...MESSAGE, ...more });

interface Row {
  id: string;
  recipient: string;
  subject: string | null;
  own: string | null;
  kind: string;
  header: string;
}
const stored = (id: string) =>
  under.sql<Row>(
    `select m.id, m.recipient, m.subject as own, s.subject, s.kind, s.message_id_header as header
     from messages m join send_requests s on s.id = m.send_request_id where s.id = $1 order by m.id`,
    [id],
  );
const idOf = (messageId: string) => messageId.slice(1, 37);
const read = async (messageId: string) => {
  const path = `/v2/accounts/${under.accountId}/messages/${encodeURIComponent(messageId)}`;
  return (await under.call('GET', path)).body;
};

describe('a regular send', () => {
  it('is one send request, one content and one event with a message per recipient', async () => {
    const { status, body } = await send();
    expect([status, body.object]).toEqual([202, 'list']);
    const [ann, bob] = body.data;
    expect(ann).toEqual({
      object: 'message',
      id: expect.stringMatching(/^<[0-9a-f-]{36}@shop\.test>$/),
      recipient: MESSAGE.recipients[0],
      status: 'queued',
    });
    expect(bob).toMatchObject({ recipient: { email: 'bob@mail.test', name: '' } });
    const rows = await stored(idOf(ann.id));
    expect(rows.map(({ id, recipient }) => [`<${id}@shop.test>`, recipient])).toEqual([
      [ann.id, 'ann@mail.test'],
      [bob.id, 'bob@mail.test'],
    ]);
    expect(rows[0]).toMatchObject({ kind: 'regular', header: ann.id, subject: 'Order A-17', own: null });
    expect(rows[1]).toMatchObject({ own: 'Order ?' });
    const event = await under.accepted.until(() => under.accepted.events.find(({ id }) => id === idOf(ann.id)));
    expect(event.data).toMatchObject({ subject: 'Order A-17', message_id_header: ann.id });
    expect(event.data.recipients).toEqual([
      { id: idOf(ann.id), email: 'ann@mail.test' },
      { id: idOf(bob.id), email: 'bob@mail.test', subject: 'Order ?', message_id_header: bob.id },
    ]);
  });

  it('to one recipient is kept as it is sent, and to several it reads the same', async () => {
    const several = await send({ html_content: '<b>{{ name }}</b>', headers: { 'X-Order': '{{ order }}' } });
    const alone = await send({
      html_content: '<b>{{ name }}</b>',
      headers: { 'X-Order': '{{ order }}' },
      recipients: [MESSAGE.recipients[0]],
    });
    const [content] = await under.sql<{ bytes: Buffer }>(
      `select c.bytes from content c join send_requests s on s.content_id = c.id where s.id = $1`,
      [idOf(alone.body.data[0].id)],
    ).catch(() => []);
    if (content) expect(content.bytes.toString()).not.toContain('{{');
    const texts = async (id: string) => {
      const { content_parsed: parsed, subject } = await read(id);
      const { 'x-order': order, to } = Object.fromEntries(
        Object.entries(parsed.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      return { subject, order, to, parts: parsed.parts };
    };
    const one = await texts(alone.body.data[0].id);
    expect(one).toMatchObject({ subject: 'Order A-17', order: ['A-17'] });
    expect(await texts(several.body.data[0].id)).toEqual(one);
    expect(await texts(several.body.data[1].id)).toMatchObject({ subject: 'Order ?', order: ['?'] });
  });

  it('runs the same statements for one recipient and for a hundred', async () => {
    const to = (count: number) => ({
      recipients: Array.from({ length: count }, (_, nth) => ({
        email: `r${nth}@mail.test`,
        substitutions: { order: `${nth}` },
      })),
    });
    const count = async (recipients: number) =>
      (await under.statementsOf(() => send(to(recipients)))).filter((text) => !/^(start|commit)/i.test(text));
    await count(1);
    const one = await count(1);
    const hundred = await count(100);
    expect(one.length).toBeGreaterThan(3);
    expect(hundred).toHaveLength(one.length);
  });
});
