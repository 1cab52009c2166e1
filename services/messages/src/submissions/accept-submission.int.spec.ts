import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';
import { messageOf, submissionCalls, type SubmissionCalls } from '../testing/submissions-under-test.js';

// proven again: each verdict on a sender, and the events and statements of a message
const database = testDatabase();
let under: SendsUnderTest;
let calls: SubmissionCalls;

beforeAll(async () => {
  under = await startSends(database.url);
  calls = submissionCalls(under);
});
afterAll(() => under?.stop());

const FROM = 'From: Shop <news@shop.test>';
const TEXT = messageOf(FROM, 'To: ann@mail.test', 'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=', '', 'Hello');
const messageId = () => `<${newId()}@client.test>`;
const withId = (id: string, ...more: string[]) =>
  messageOf(FROM, `Message-ID: ${id}`, 'Subject: x', ...more, '', 'Hello');

const accepted = async (...given: Parameters<SubmissionCalls['submit']>): Promise<string> => {
  const result = await calls.submit(...given);
  if (!result.ok) throw new Error(result.reply.text);
  return result.id;
};
const replyTo = async (...given: Parameters<SubmissionCalls['submit']>) => {
  const result = await calls.submit(...given);
  return result.ok ? 'accepted' : `${result.reply.code} ${result.reply.enhanced} ${result.reply.text}`;
};
const path = (rest = '') => `/v2/accounts/${under.accountId}/messages${rest}`;
const read = async (id: string) => (await under.call('GET', path(`/${encodeURIComponent(id)}`))).body;
const find = async (query: string) => (await under.call('GET', path(`?${query}`))).body.data;

describe('spec 2-messages §13 rule 8: a submitted message', () => {
  it('is a record per recipient, which share content, Message-ID and event', async () => {
    const shared = messageId();
    const id = await accepted(withId(shared), {
      recipients: ['Ann@mail.test', 'bob@mail.test', 'ann@MAIL.test'],
    });
    const records = await find(`message_id_header=${encodeURIComponent(shared)}`);
    expect(records.map(({ recipient, status }: never) => [recipient, status])).toEqual([
      ['bob@mail.test', 'Received'],
      ['ann@mail.test', 'Received'],
    ]);
    expect(records[1]).toMatchObject({ id, message_id: shared, sender: 'news@shop.test', template_id: null });
    const event = await under.accepted.until(() => under.accepted.events.find((one) => one.id === id));
    expect(event.data).toMatchObject({
      message_id_header: shared,
      domain: 'shop.test',
      return_path_host: 'rp.shop.test',
    });
    expect(event.data.recipients).toEqual([
      { id, email: 'ann@mail.test' },
      { id: records[0].id, email: 'bob@mail.test' },
    ]);
    expect(event.data).not.toHaveProperty('null_sender');
  });

  it('is readable and searchable like one of the API', async () => {
    const id = await accepted(TEXT);
    const record = await read(id);
    expect(record).toMatchObject({
      id,
      subject: 'Grüße',
      message_id: `<${id}@shop.test>`,
      content_parsed: { parts: [{ content_type: 'text/plain', content: 'Hello\n' }] },
    });
    expect(record.content).toMatch(/^Received: by smtp\.[^]+\r\nFeedback-ID: [^]+\r\nCFBL-Address: fbl\+/);
    expect(record.content).not.toMatch(/192\.0\.2\.7|laptop\.lan/);
    expect((await read(`<${id}@shop.test>`)).id).toBe(id);
    expect((await find('subject=gr%C3%BC%C3%9Fe')).map((one: { id: string }) => one.id)).toContain(id);
  });

  it('has retention, tags and tracking of its control headers, else of the account', async () => {
    const html = (...more: string[]) =>
      messageOf(FROM, 'Content-Type: text/html', ...more, '', '<a href="https://shop.test/">x</a>');
    const tags = [`t${newId()}`, 'b'];
    const id = await accepted(
      html('postmesh-track-clicks: true', 'postmesh-data-retention: 2', `postmesh-tags: ${tags.join(',')}`),
      { account: { track_opens: true } },
    );
    const record = await read(id);
    expect(record.content).toMatch(/\/c\/[^]+\/o\//);
    expect(record.content).not.toMatch(/^postmesh-/im);
    expect(record.tags).toEqual(tags);
    expect(Date.parse(record.retain_until) - Date.parse(record.created_at)).toBe(2 * 86_400_000);
    expect((await find(`tags=${tags[0]}`)).map((one: { id: string }) => one.id)).toEqual([id]);
    expect((await read(await accepted(html()))).content).toContain('href="https://shop.test/"');
    expect((await read(await accepted(html('postmesh-data-retention: 0')))).content).toBeUndefined();
  });

  it('spec 2-messages §13 rule 5: reaches recipients with a UTF-8 local part next to others, and is repaired or refused', async () => {
    const id = await accepted(messageOf(FROM, 'Subject: Grüße', 'Date: yesterday', '', 'x'.repeat(2_500)), {
      recipients: ['ann@mail.test', 'grüße@mail.test', '"a..b"@mail.test'],
    });
    const event = await under.accepted.until(() => under.accepted.events.find((one) => one.id === id));
    expect(event.data.recipients.map(({ email }: { email: string }) => email)).toEqual([
      'ann@mail.test',
      'grüße@mail.test',
      '"a..b"@mail.test',
    ]);
    const { content, subject } = await read(id);
    expect(subject).toBe('Grüße');
    expect(content).toMatch(/^Subject: =\?UTF-8\?B\?R3LDvMOfZQ==\?=\r$/m);
    expect(Math.max(...content.split('\r\n').map((line: string) => line.length))).toBeLessThanOrEqual(998);
    expect(await replyTo(messageOf(FROM, 'Reply-To: grüße@mail.test', '', 'x'))).toMatch(/^552 5\.6\.0 /);
    // every third byte becomes three
    const line = `${'='.repeat(2_000)}\r\n`.repeat(6_000);
    expect(await replyTo(messageOf(FROM, '', line))).toMatch(/^552 5\.3\.4 /);
  });

  it('to a suppressed recipient is accepted and ends there', async () => {
    const email = `${newId()}@mail.test`;
    const body = { email, domain: 'shop.test', expires_at: '9999-12-31T23:59:59Z' };
    expect((await under.call('POST', `/v2/accounts/${under.accountId}/suppressions`, { body })).status).toBe(
      201,
    );
    const id = await accepted(TEXT, { recipients: [email, 'bob@mail.test'] });
    expect((await read(id)).status).toBe('Suppressed');
    const event = await under.accepted.until(() => under.accepted.events.find((one) => one.id === id));
    expect(event.data.recipients).toMatchObject([{ id, suppressed: true }, { email: 'bob@mail.test' }]);
  });

  it('costs credit, one per recipient, and is refused when the credit is used up', async () => {
    const account_id = newId() as never;
    const capped = { submitter: { account_id }, account: { monthly_credit: 3 } };
    const two = { ...capped, recipients: ['a@mail.test', 'b@mail.test'] };
    await accepted(TEXT, two);
    expect(await replyTo(TEXT, two)).toBe('521 5.7.1 monthly sending limit reached');
    expect(await calls.judge('a@shop.test', capped)).toEqual({ ok: true });
    await accepted(TEXT, capped);
    expect(await calls.judge('a@shop.test', capped)).toMatchObject({ ok: false, reply: { code: 521 } });
    const sandbox = { ...capped, submitter: { account_id, sandbox: true } };
    expect(await calls.judge('a@shop.test', sandbox)).toMatchObject({ ok: true });
    await accepted(TEXT, sandbox);
  });

  it('is the same statements as a send of the API', async () => {
    const body = {
      from: { email: 'news@shop.test' },
      to: [{ email: 'ann@mail.test' }],
      subject: 'x',
      text_content: 'x',
    };
    const bySmtp = async () => under.statementsOf(() => accepted(TEXT));
    const byApi = async () => under.statementsOf(() => under.send('/conversation', body));
    await bySmtp();
    await byApi();
    expect(await bySmtp()).toEqual(await byApi());
  });
});

describe('spec 2-messages §10: a message is simulated', () => {
  const sandboxOf = async (id: string) => {
    const event = await under.accepted.until(() => under.accepted.events.find((one) => one.id === id));
    return event.data.sandbox;
  };

  it('through a credential of the sandbox, with any headers, or by a header', async () => {
    const sandbox = { submitter: { sandbox: true } };
    expect(await sandboxOf(await accepted(TEXT, sandbox))).toBe('deliver');
    expect(await sandboxOf(await accepted(withId(messageId(), 'postmesh-sandbox: 0'), sandbox))).toBe(
      'deliver',
    );
    const bounce = withId(messageId(), 'postmesh-sandbox: true', 'postmesh-sandbox-result: bounce');
    expect(await sandboxOf(await accepted(bounce))).toBe('bounce');
    expect(
      await sandboxOf(await accepted(withId(messageId(), 'postmesh-sandbox-result: bounce'))),
    ).toBeNull();
  });

  it('from a paused domain too', async () => {
    const paused = (...more: string[]) => messageOf('From: a@paused.test', ...more, '', 'x');
    await accepted(paused(), { sender: 'a@paused.test', submitter: { sandbox: true } });
    await accepted(paused('postmesh-sandbox: 1'));
    expect(await replyTo(paused())).toMatch(/^550 5\.7\.1 Sending from domain 'paused\.test' is paused\. /);
  });
});

describe('spec 2-messages §13 rule 7: the sender of MAIL FROM', () => {
  const scoped = { submitter: { scope: 'scoped' as const, domains: ['shop.test'] } };
  const said = async (...given: Parameters<SubmissionCalls['judge']>) => {
    const verdict = await calls.judge(...given);
    return verdict.ok ? 'ok' : `${verdict.reply.code} ${verdict.reply.enhanced} ${verdict.reply.text}`;
  };

  it.each<[string, string, Parameters<SubmissionCalls['judge']>[1], RegExp]>([
    ['owned and valid', 'a@Shop.test', {}, /^ok$/],
    ['in scope', 'a@shop.test', scoped, /^ok$/],
    ['the null sender', '', {}, /^550 5\.1\.7 /],
    ['no address', 'nobody', {}, /^553 5\.1\.7 /],
    ['beyond ASCII', 'grüße@shop.test', {}, /^553 5\.6\.7 /],
    ['of nobody', 'a@elsewhere.test', {}, /^556 5\.1\.8 domain 'elsewhere\.test' not found in this account$/],
    [
      'without valid DNS',
      'a@unchecked.test',
      {},
      /^556 5\.1\.8 domain 'unchecked\.test' does not have valid DNS/,
    ],
    [
      'paused',
      'a@paused.test',
      {},
      /^550 5\.7\.1 Sending from domain 'paused\.test' is paused\. Check your dashb/,
    ],
    ['paused, in the sandbox', 'a@paused.test', { submitter: { sandbox: true } }, /^ok$/],
    ['without valid DNS, in the sandbox', 'a@unchecked.test', { submitter: { sandbox: true } }, /^556 /],
    ['blocked', 'a@shop.test', { submitter: { blocked: true } }, /^521 5\.7\.1 account is suspended$/],
    ['suspended', 'a@shop.test', { account: { status: 'suspended' } }, /^521 /],
    [
      'suspended by its parent, in the sandbox',
      'a@shop.test',
      { account: { status: 'parent-suspended' }, submitter: { sandbox: true } },
      /^521 /,
    ],
  ])('%s', async (_, sender, wanted, reply) => {
    expect(await said(sender, wanted)).toMatch(reply);
  });

  it('is judged at each MAIL where credit is counted or the domain is paused, else once for a while', async () => {
    const usable = async (...given: Parameters<SubmissionCalls['judge']>) => {
      const verdict = await calls.judge(...given);
      return verdict.ok ? (verdict.usable_ms ?? 0) > 0 : undefined;
    };
    expect(await usable('a@shop.test')).toBe(true);
    expect(await usable('a@shop.test', { account: { monthly_credit: 1_000 } })).toBe(false);
    expect(await usable('a@paused.test', { submitter: { sandbox: true } })).toBe(false);
  });

  it('out of scope has the literal text of the contract', async () => {
    expect(await said('a@other.test', scoped)).toBe(
      `550 5.7.1 authz_id 'smtp-abcdefghij0123456789' is not authorized to send as tenant '${under.accountId}' or from this domain`,
    );
    expect(await said('a@other.test', { submitter: { scope: 'scoped', domains: [] } })).toMatch(
      /^550 5\.7\.1 authz_id/,
    );
    expect(await said('a@elsewhere.test', scoped)).toMatch(/^556 /);
  });

  it('and the author of the message must pass the same checks', async () => {
    const from = (author: string) => messageOf(`From: ${author}`, '', 'x');
    expect(await replyTo(from('a@elsewhere.test'))).toMatch(/^556 5\.1\.8 /);
    expect(await replyTo(from('a@unchecked.test'))).toMatch(/^556 5\.1\.8 /);
    expect(await replyTo(from('a@other.test'), scoped)).toMatch(/^550 5\.7\.1 authz_id/);
    expect(await replyTo(from('a@shop.test'), { sender: 'a@other.test', ...scoped })).toMatch(
      /^550 5\.7\.1 authz/,
    );
    expect(await replyTo(TEXT, { sender: '' })).toMatch(/^550 5\.1\.7 /);
    expect(await replyTo(TEXT, { submitter: { blocked: true } })).toMatch(/^521 /);
    const id = await accepted(from('a@other.test'));
    const event = await under.accepted.until(() => under.accepted.events.find((one) => one.id === id));
    expect(event.data.domain).toBe('other.test');
  });
});

describe('an invalid message', () => {
  it('is refused and not stored', async () => {
    const count = async () =>
      (await under.sql<{ n: number }>('select count(*)::int as n from send_requests'))[0]!.n;
    const before = await count();
    expect(await replyTo(messageOf('From: a@shop.test', 'From: b@shop.test', '', 'x'))).toMatch(
      /^552 5\.6\.0 /,
    );
    expect(await replyTo(TEXT, { recipients: ['nobody'] })).toMatch(/^553 5\.1\.3 /);
    expect(await replyTo(`${TEXT}${'x'.repeat(20_971_520)}`)).toMatch(/^552 5\.3\.4 /);
    for (const header of ['', 'e30', 'x']) {
      const { status } = await calls.raw({ 'x-smtp-envelope': header }, Buffer.from(TEXT));
      expect(status).toBe(400);
    }
    expect(await count()).toBe(before);
  });
});
