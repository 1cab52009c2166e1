import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startSends, type SendsUnderTest, type TestCopy } from '../testing/sends-under-test.js';

// proven again: a template that changes between a send and its replay
const database = testDatabase();
let under: SendsUnderTest;

beforeAll(async () => {
  under = await startSends(database.url);
});
afterAll(() => under?.stop());

const ANN = { email: 'Ann@mail.test', substitutions: { name: 'Ann & Co', code: '991' } };
const send = (template_id: string, more: object = {}, request: object = {}) =>
  under.send('/template', { template_id, recipients: [ANN], ...more }, request);
const sendNew = async (copy: TestCopy, more: object = {}, request: object = {}) =>
  send(await under.template(copy), more, request);
const refused = async (sent: ReturnType<typeof send>) => {
  const { status, body } = await sent;
  expect(Object.keys(body)).toEqual(['message']);
  return `${status} ${body.message}`;
};
async function read(sent: { status: number; body: { data: { id: string }[] } }, nth = 0) {
  expect(sent.status).toBe(202);
  const path = `/v2/accounts/${under.accountId}/messages/${encodeURIComponent(sent.body.data[nth]!.id)}`;
  const { body } = await under.call('GET', path);
  const headers = new Map<string, string>(
    Object.entries<string[]>(body.content_parsed.headers).map(([name, [value = '']]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const part = (type: string): string =>
    body.content_parsed.parts.find((one: { content_type: string }) => one.content_type === type)?.content ??
    '';
  return { body, headers, html: part('text/html'), text: part('text/plain') };
}

describe('a template send', () => {
  const DESIGN = {
    subject: 'Code {{ code }} for {{ name }}',
    preheader: 'For {{ name }}',
    replyTo: 'help@shop.test',
    html: '<body><p>{{ name }} <b>{{ name|safe }}</b> {{ email }}[{{ view_browser_url }}]</p></body>',
    text: '{{ name }}: {{ code }} {{ unknown|default("x") }}',
  };

  it('has the published bodies, the preview text, the sender and the reply-to of the template', async () => {
    const id = await under.template(DESIGN);
    const { body, headers, html, text } = await read(await send(id, { headers: { 'X-Code': '{{ code }}' } }));
    expect(body).toMatchObject({
      subject: 'Code 991 for Ann & Co',
      sender: 'news@shop.test',
      template_id: id,
    });
    expect(html).toContain('<p>Ann &amp; Co <b>Ann & Co</b> ann@mail.test[]</p>');
    expect(html).toMatch(/^<body><div style="[^"]*">For Ann &amp; Co<\/div><p>/);
    expect(text.trim()).toBe('Ann & Co: 991 x');
    expect(headers.get('from')).toContain('Shop');
    expect(headers.get('reply-to')).toContain('help@shop.test');
    expect(headers.get('x-code')).toBe('991');
    expect(headers.has('list-unsubscribe')).toBe(false);
    const [row] = await under.sql<{ kind: string }>('select kind from send_requests where template_id = $1', [
      id,
    ]);
    expect(row).toEqual({ kind: 'template' });
  });

  it('reads the same for one recipient and for several', async () => {
    const id = await under.template({ ...DESIGN, html: `${DESIGN.html}{{ unsubscribe_url }}` });
    const alone = await read(await send(id));
    const several = await send(id, {
      recipients: [{ email: 'b@mail.test', substitutions: { code: 1, name: 2 } }, ANN],
    });
    expect((await read(several)).body.subject).toBe('Code 1 for 2');
    const ann = await read(several, 1);
    const withoutLink = (html: string) => html.replace(/http[^<"\s]+/g, 'LINK');
    expect(withoutLink(ann.html)).toBe(withoutLink(alone.html));
    expect([ann.text, ann.body.subject]).toEqual([alone.text, alone.body.subject]);
  });

  it('prefers fields of the request to those of the template', async () => {
    const id = await under.template(DESIGN);
    const from = { email: 'me@other.test', name: 'Me' };
    const sent = await read(
      await send(id, { from, reply_to: { email: 'r@mail.test' }, subject: 'Mine {{ code }}' }),
    );
    expect(sent.body).toMatchObject({ sender: 'me@other.test', subject: 'Mine 991' });
    expect(sent.headers.get('reply-to')).toContain('r@mail.test');
    const byHeader = await read(
      await send(id, { from, subject: '  ', headers: { 'REPLY-TO': 'h@mail.test' } }),
    );
    expect(byHeader.headers.get('reply-to')).toContain('h@mail.test');
    expect(byHeader.body.subject).toBe('Code 991 for Ann & Co');
    const neither = await read(await send(id, { from }));
    expect(neither.headers.get('reply-to')).toContain('help@shop.test');
  });

  it('has a link per recipient where the design uses one, stronger than headers and values of the request', async () => {
    const id = await under.template({
      html: '<a href="{{ unsubscribe_url }}">stop</a>',
      from: 'a@links.test',
    });
    const recipients = [
      { email: 'a@mail.test', substitutions: { unsubscribe_url: 'https://evil.test', email: 'x' } },
      { email: 'b@mail.test' },
    ];
    const headers = {
      'LIST-Unsubscribe': '<https://mine.test>',
      'list-unsubscribe-POST': 'x',
      'List-Id': '<i>',
    };
    const sent = await send(id, { recipients, headers });
    const links = [0, 1].map(async (nth) => {
      const message = await read(sent, nth);
      const link = /^<(https:\/\/subs\.links\.test\/u\/[\w-]+)>$/.exec(
        message.headers.get('list-unsubscribe') ?? '',
      );
      expect(message.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      expect(message.headers.get('list-id')).toBe('<i>');
      expect(message.html).not.toContain('evil');
      return link?.[1];
    });
    expect(new Set(await Promise.all(links)).size).toBe(2);
    expect(await Promise.all(links)).not.toContain(undefined);
    const without = await read(await sendNew({ html: '<p>x</p>' }, { headers }));
    expect(without.headers.get('list-unsubscribe')).toBe('<https://mine.test>');
  });

  it('runs the same statements for one recipient and for a hundred', async () => {
    const id = await under.template({ html: '{{ code }}{{ unsubscribe_url }}', subject: '{{ code }}' });
    const to = (count: number) => ({
      recipients: Array.from({ length: count }, (_, nth) => ({
        email: `r${nth}@b.test`,
        substitutions: { code: nth },
      })),
    });
    const count = async (recipients: number) =>
      (await under.statementsOf(() => send(id, to(recipients)))).length;
    await count(1);
    const one = await count(1);
    expect(one).toBeGreaterThan(3);
    expect(await count(100)).toBe(one);
  });
});

describe('§4.3 rule 10 the response to a template send without a sender', () => {
  it('is replayed to keys that may send from the domain that it was sent from, also after the template changed', async () => {
    const id = await under.template({});
    const headers = { 'idempotency-key': 'template' };
    const first = await send(id, {}, { headers });
    await under.sql('update template_copies set sender_email = $2 where template_id = $1', [
      id,
      'a@other.test',
    ]);
    const again = await send(id, {}, { headers, scopes: ['messages:send:{shop.test}'] });
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(await refused(send(id, {}, { headers, scopes: ['messages:send:{other.test}'] }))).toBe(
      "403 this api key is not authorized to send messages from the domain 'shop.test'",
    );
    expect(await refused(send(id, {}, { headers, scopes: ['messages:read:all'] }))).toBe(
      "403 this api key is not authorized to send messages from the domain 'shop.test'",
    );
  });

  it('that is an error is replayed to keys that may send at all', async () => {
    const headers = { 'idempotency-key': 'template-error' };
    const id = newId();
    expect(await refused(send(id, {}, { headers }))).toBe('404 template not found');
    expect((await send(id, {}, { headers, scopes: ['messages:send:{shop.test}'] })).status).toBe(404);
    expect(await refused(send(id, {}, { headers, scopes: ['domains:read'] }))).toBe(
      '403 this api key is not authorized to send messages',
    );
  });
});
