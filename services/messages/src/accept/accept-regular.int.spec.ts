import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '@postmesh/blob-store';
import { BLOB_STORE } from '@postmesh/service-host';
import { transactionsOf, roundTripsWith } from '@postmesh/service-testing';
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
    const event = await under.accepted.until(() =>
      under.accepted.events.find(({ id }) => id === idOf(ann.id)),
    );
    expect(event.data).toMatchObject({ subject: 'Order A-17', message_id_header: ann.id });
    expect(event.data.recipients).toEqual([
      { id: idOf(ann.id), email: 'ann@mail.test' },
      { id: idOf(bob.id), email: 'bob@mail.test', subject: 'Order ?', message_id_header: bob.id },
    ]);
  });

  it('to one recipient is stored as it is sent, and has the same content with several recipients', async () => {
    const several = await send({ html_content: '<b>{{ name }}</b>', headers: { 'X-Order': '{{ order }}' } });
    const alone = await send({
      html_content: '<b>{{ name }}</b>',
      headers: { 'X-Order': '{{ order }}' },
      recipients: [MESSAGE.recipients[0]],
    });
    const [row] = await under.sql<{ id: string }>(
      'select content_id as id from send_requests where id = $1',
      [idOf(alone.body.data[0].id)],
    );
    const blobs = await under.service.get<BlobStore>(BLOB_STORE).get([row!.id]);
    expect(blobs.get(row!.id)!.toString()).not.toContain('{{');
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

  it('is four round trips to the database, also with its stored response', async () => {
    const stores = /into send_requests/;
    // the first send of a process checks whether contents may be part of its transactions
    await send();
    const transactions = await transactionsOf(async () => {
      for (let nth = 0; nth < 3; nth++) expect((await send()).status).toBe(202);
    });
    expect(roundTripsWith(transactions, stores)).toEqual([4, 4, 4]);
    const headers = { 'idempotency-key': 'one-key' };
    const keyed = await transactionsOf(() => under.send('', MESSAGE, { headers }));
    expect(roundTripsWith(keyed, stores)).toEqual([4]);
  });

  it('stores parts without a template as written, next to rendered parts', async () => {
    const { recipients } = MESSAGE;
    const some = await send({ substitutions: {}, recipients: [...recipients, ...recipients] });
    const [ann, bob, again] = some.body.data;
    expect(new Set(some.body.data.map(({ id }: { id: string }) => id)).size).toBe(4);
    expect((await read(ann.id)).content_parsed.parts[0].content).toContain('Thanks, !');
    expect((await read(bob.id)).content_parsed.parts[0].content).toContain('Thanks, {{ name }}!');
    expect([(await read(bob.id)).subject, (await read(again.id)).subject]).toEqual([
      'Order {{ order }}',
      'Order A-17',
    ]);
    const none = await send({ substitutions: null, recipients: [{ email: 'a@b.test', substitutions: {} }] });
    expect((await read(none.body.data[0].id)).subject).toBe('Order {{ order }}');
    // a text that is rendered for no recipient need not be a template
    const odd = await send({ substitutions: {}, recipients: [{ email: 'a@b.test' }], subject: '{{ {% oops' });
    expect(odd.status).toBe(202);
  });

  const errorsOf = async (more: object) => {
    const { status, body } = await send(more);
    expect([status, body.message]).toEqual([202, undefined]);
    return body.data.map((one: { error?: string; status: string }) => one.error ?? one.status);
  };
  const recipients = (...values: unknown[]) => ({
    recipients: values.map((x, nth) => ({ email: `r${nth}@mail.test`, substitutions: { x } })),
  });

  it('reports an error for a recipient whose message cannot be rendered', async () => {
    const text_content = '{% for one in x %}{{ one }}{% endfor %}';
    const endless =
      '{% for a in range(1000) %}{% for b in range(1000) %}{% if x %}{% endif %}{% endfor %}{% endfor %}';
    expect(await errorsOf({ text_content, ...recipients([1], 5, 'ab') })).toEqual([
      'queued',
      expect.stringMatching(/^text_content cannot be rendered: /),
      expect.any(String),
    ]);
    expect(await errorsOf({ html_content: endless, ...recipients('a') })).toEqual([
      expect.stringMatching(/^html_content cannot be rendered: /),
    ]);
  });

  it('reports an error for a recipient whose message gets too large, and refuses a send that is too large before rendering', async () => {
    const half = 'x'.repeat(11 * 1024 * 1024);
    const twice = { text_content: '{{ x }}', html_content: '{{ x }}' };
    const tooLarge = 'message size exceeds 20 MiB';
    expect(await errorsOf({ ...twice, ...recipients(half, 'small') })).toEqual([tooLarge, 'queued']);
    expect(await errorsOf({ ...twice, ...recipients(half) })).toEqual([tooLarge]);
    // sizes in between depend on the encoding
    const seven = 'x'.repeat(7 * 1024 * 1024);
    expect(await errorsOf({ text_content: '{{ x }}', ...recipients(seven, 'é'.repeat(4_000_000)) })).toEqual([
      'queued',
      'queued',
    ]);
    const whole = await send({ text_content: half + half });
    expect([whole.status, whole.body.message]).toEqual([400, tooLarge]);
  });

  it('reports an error for a recipient whose subject or header gets too long', async () => {
    const long = 'y'.repeat(9_000);
    expect(
      await errorsOf({ subject: '{{ x }}', ...recipients('ok', 'y'.repeat(999), long.repeat(2)) }),
    ).toEqual(['queued', 'subject must have at most 998 characters', 'subject is too long']);
    expect(await errorsOf({ headers: { 'X-A': '{{ x }}' }, ...recipients('ok', long) })).toEqual([
      'queued',
      "header 'X-A' is longer than 8192 bytes",
    ]);
    expect(await errorsOf({ headers: { References: '<{{ x }}>' }, ...recipients('ok@b', 'é') })).toEqual([
      'queued',
      "header 'References' must be message ids in ASCII, such as <1@shop.test>",
    ]);
    const injected = 'x\u0e0d\u0d0aX-Injected\u013avalue@mail.test';
    const mixed = recipients('Zo\u00eb <zoe@mail.test>', 'nobody', injected);
    mixed.recipients.push({ email: 'r3@mail.test' } as never);
    const noList = expect.stringMatching(/^header 'Reply-To' must be a list of email addresses, such as /);
    expect(
      await errorsOf({ headers: { 'Reply-To': '{{ x }}' }, ...mixed, substitutions: undefined }),
    ).toEqual([
      'queued',
      noList,
      expect.stringMatching(/^header 'Reply-To' must not have an address beyond ASCII/),
      noList,
    ]);
    expect(await errorsOf({ subject: '{{ x }}', ...recipients('a\r\nBcc: b@c.test', 'a\u0000b') })).toEqual([
      'queued',
      'queued',
    ]);
  });

  it('is 202 also when every recipient has an error, and stores nothing then', async () => {
    const to = [{ email: 'ann@mail.test', substitutions: { x: 'é' } }];
    const { status, body } = await send({ recipients: to, headers: { References: '<{{ x }}>' } });
    expect([status, body.data]).toEqual([
      202,
      [
        {
          object: 'message',
          id: null,
          recipient: { ...to[0], name: '' },
          status: 'error',
          error: expect.stringMatching(/References/),
        },
      ],
    ]);
  });
});

describe('spec 2-messages §5.2: invalid headers are 400 before anything is stored', () => {
  it.each([
    [{ headers: { Date: 'yesterday' } }, /^header 'Date' must be a date and time, such as /],
    [{ headers: { 'Reply-To': 'not an address' } }, /^header 'Reply-To' must be a list of email addresses/],
    [
      { headers: { 'Reply-To': '\u674e@mail.test' } },
      /^header 'Reply-To' must not have an address beyond ASCII/,
    ],
    [
      { headers: { 'Reply-To': '<{{ x }}>' }, substitutions: {}, recipients: [{ email: 'a@b.test' }] },
      /^header 'Reply-To'/,
    ],
    [{ reply_to: { email: 'j\u00fcrgen@mail.test' } }, /^reply_to\.email must be an ASCII address$/],
    [
      {
        headers: [
          { name: 'Date', value: 'x' },
          { name: 'DATE', value: 'x' },
        ],
      },
      /^header 'date' must not be given more than once$/,
    ],
  ])('%j', async (more, message) => {
    const { status, body } = await send(more);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe('a regular send under an idempotency key', () => {
  it('is replayed to a key of the sender, and refused to others', async () => {
    const headers = { 'idempotency-key': 'regular' };
    const first = await under.send('', MESSAGE, { headers });
    const again = await under.send('', MESSAGE, { headers, scopes: ['messages:send:{shop.test}'] });
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      202,
      first.text,
      'true',
    ]);
    const other = await under.send('', MESSAGE, { headers, scopes: ['messages:send:{other.test}'] });
    expect([other.status, other.body.message]).toEqual([
      403,
      "this api key is not authorized to send messages from the domain 'shop.test'",
    ]);
  });
});
