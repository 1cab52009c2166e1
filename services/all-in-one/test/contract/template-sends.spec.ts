import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, type ApiKey } from './harness.js';
import { outcomes, errorOf, Sender } from './sends.js';

const postmesh = sharedInstallation();
let sender: Sender;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const to = (substitutions: object | undefined, email = 'ann@mail.test') => ({ email, substitutions });

describe('spec 2-messages §1.4 template send', () => {
  it('spec 2-messages §1.4 delivers the published copy: HTML with its preview text, and text', async () => {
    const email = `${unique('ann')}@mail.test`;
    const draft = {
      subject: 'Code {{ code }}',
      preheader: 'It is {{ code }}',
      reply_to: { email: sender.from.email },
    };
    const content = { html: '<html><body><b>{{ code }}</b></body></html>', text: 'Your {{ code }}' };
    const id = await sender.published({ ...draft, content });
    // a draft is not sent
    const change = { body: { subject: 'Draft', content: { text: 'draft' } } };
    expect((await postmesh.api(sender.account.key, 'PUT', `{A}/templates/${id}`, change)).status).toBe(200);
    const { status, body } = await sender.template(id, {
      sandbox: false,
      recipients: [to({ code: '991' }, email)],
    });
    expect([status, body.data[0]]).toEqual([202, expect.objectContaining({ status: 'queued' })]);
    await eventually(async () => (await postmesh.messagesTo(email)).length).toBe(1);
    const [delivered] = await postmesh.messagesTo(email);
    expect(delivered!.subject).toBe('Code 991');
    const message = await sender.read(body.data[0].id);
    expect(message.body).toMatchObject({ template_id: id, subject: 'Code 991', sender: sender.from.email });
    expect(message.html).toMatch(/<body><div style="[^"]*">It is 991<\/div><b>991<\/b><\/body>/);
    expect(message.text).toBe('Your 991');
    expect(message.header('reply-to')).toBe(sender.from.email);
    expect(message.body.content_parsed.parts).toHaveLength(2);
    // and stays on the message after the template was deleted
    expect((await postmesh.api(sender.account.key, 'DELETE', `{A}/templates/${id}`)).status).toBe(200);
    expect((await sender.read(body.data[0].id)).body.template_id).toBe(id);
    expect(await errorOf(sender.template(id))).toBe('404 template not found');
  });

  const supplied = (field: string) => `400 ${field} is not accepted, the template supplies the body`;
  it.each<[object, string]>([
    [{ substitutions: {} }, '400 substitutions go on each recipient, not at the top of the request'],
    [
      { amp_content: 'a', substitutions: '' },
      '400 substitutions go on each recipient, not at the top of the request',
    ],
    [{ amp_content: '', html_content: false, text_content: 0 }, supplied('text_content')],
    [{ amp_content: '', html_content: {} }, supplied('html_content')],
    [{ amp_content: [], recipients: 5, nonsense: 1 }, supplied('amp_content')],
  ])('spec 2-messages §1.4 rule 1 %j is refused', async (more, text) =>
    expect(await errorOf(sender.template(randomUUID(), more))).toBe(text),
  );

  it('spec 2-messages §1.4 rule 1 null is not refused', async () => {
    const nothing = { substitutions: null, text_content: null, html_content: null, amp_content: null };
    expect(await outcomes(sender.template(await sender.published(), nothing))).toEqual(['queued']);
  });

  it.each<[object, string]>([
    [{ template_id: undefined }, '400 template_id is required'],
    [
      { template_id: 'x' },
      '400 template_id is invalid (a UUID such as 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01)',
    ],
    [{ recipients: undefined }, '400 recipients is required'],
    [{ recipients: [{ name: 'x' }] }, '400 recipients[0].email is required'],
    [{ recipients: [], subject: 5 }, '400 subject must be a string'],
    [{ to: [] }, '400 unknown field: to'],
  ])('spec 2-messages §1.4 rule 2 %j is refused', async (more, text) =>
    expect(await errorOf(sender.template(randomUUID(), more))).toBe(text),
  );

  it('spec 2-messages §1.4 rule 3 the number of recipients, then header names', async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ email: `r${at}@mail.test` }));
    const headers = { 'a b': 'x' };
    const send = (more: object) => errorOf(sender.template(randomUUID(), { headers, ...more }));
    expect(await send({ recipients: [] })).toBe('400 recipients must have at least 1 items');
    expect(await send({ recipients: many })).toBe('400 recipients must have at most 100 items');
    expect(await send({ from: { email: 'a@nobody.test' } })).toBe("400 invalid header name 'a b'");
    const replyTo = { reply_to: { email: 'r@mail.test' }, headers: { 'reply-to': 'x' } };
    expect(await send(replyTo)).toMatch(/^400 reply_to and a reply-to header/);
  });

  it('spec 2-messages §1.4 rule 4 a given sender: known, in scope, valid, before anything of the template', async () => {
    const other = await Sender.make(postmesh);
    const unchecked = `unchecked-${other.domain}`;
    await postmesh.api(other.account.key, 'POST', '{A}/domains', { body: { domain: unchecked } });
    const key = await postmesh.newKey(other.account, { scopes: [`messages:send:{${unchecked}}`] });
    const from = (domain: string, by: ApiKey = key) =>
      errorOf(
        other.post(
          '/template',
          { template_id: randomUUID(), recipients: [to({})], from: { email: `a@${domain}` } },
          { key: by },
        ),
      );
    expect(await from('nobody.test')).toBe("400 domain 'nobody.test' not found in this account");
    expect(await from(other.domain)).toBe(
      `403 this api key is not authorized to send messages from the domain '${other.domain}'`,
    );
    expect(await from(unchecked)).toBe(`400 domain '${unchecked}' does not have valid DNS records`);
    expect(await from(other.domain, other.account.key)).toBe('404 template not found');
  });

  it('spec 2-messages §1.4 rule 5 without a sender, a key that sends from nowhere', async () => {
    const body = { template_id: randomUUID(), recipients: [to({})] };
    const asked = async (scopes: string[]) =>
      errorOf(sender.post('/template', body, { key: await postmesh.newKey(sender.account, { scopes }) }));
    expect(await asked(['templates:read', 'messages:read:all'])).toBe(
      '403 this api key is not authorized to send messages',
    );
    // no scope of templates is needed
    expect(await asked([`messages:send:{${sender.domain}}`])).toBe('404 template not found');
  });

  it('spec 2-messages §1.4 rule 6 a template that is not there, or of another account', async () => {
    const other = await Sender.make(postmesh);
    const theirs = await other.published();
    for (const id of [randomUUID(), theirs]) {
      expect(await errorOf(sender.template(id))).toBe('404 template not found');
    }
  });

  it('spec 2-messages §1.4 rule 7 a default sender or reply-to that is not valid, where this send would use it', async () => {
    const broken = async (column: string) => {
      const id = await sender.published({ reply_to: { email: sender.from.email } });
      await postmesh.sql(`update messages.template_copies set ${column} = 'nobody' where template_id = $1`, [
        id,
      ]);
      return id;
    };
    const text =
      "400 the template's default sender or reply-to is not valid, edit it on the template page and publish it";
    const withReplyTo = await broken('reply_to');
    expect(await errorOf(sender.template(withReplyTo))).toBe(text);
    const headers = { 'Reply-To': 'me@mail.test' };
    expect((await sender.template(withReplyTo, { headers })).status).toBe(202);
    expect((await sender.template(withReplyTo, { reply_to: sender.from })).status).toBe(202);
    const withSender = await broken('sender_email');
    expect(await errorOf(sender.template(withSender, { headers }))).toBe(text);
    expect((await sender.template(withSender, { from: sender.from })).status).toBe(202);
  });

  it('spec 2-messages §1.4 rule 8 no default sender, or one from a domain that may not send', async () => {
    const id = await sender.published({ from: null });
    expect(await errorOf(sender.template(id))).toBe(
      '400 from is required because the template has no default sender',
    );
    expect((await sender.template(id, { from: sender.from })).status).toBe(202);
    const unchecked = `unchecked-${sender.domain}`;
    await postmesh.api(sender.account.key, 'POST', '{A}/domains', { body: { domain: unchecked } });
    const late = await sender.published();
    await postmesh.sql('update messages.template_copies set sender_email = $2 where template_id = $1', [
      late,
      `a@${unchecked}`,
    ]);
    expect(await errorOf(sender.template(late))).toBe(
      `400 domain '${unchecked}' does not have valid DNS records`,
    );
    const second = await postmesh.verifiedDomain(sender.account);
    const bound = await postmesh.newKey(sender.account, { scopes: [`messages:send:{${second}}`] });
    const body = { template_id: await sender.published(), recipients: [to({})] };
    expect(await errorOf(sender.post('/template', body, { key: bound }))).toBe(
      `403 this api key is not authorized to send messages from the domain '${sender.domain}'`,
    );
  });

  it('spec 2-messages §1.4 rule 9 nothing published', async () => {
    const id = await sender.published({ publish: false });
    expect(await errorOf(sender.template(id, { from: sender.from }))).toBe(
      '400 template has no published content, design it and publish it',
    );
  });

  it('spec 2-messages §1.4 rule 10 a published body that cannot be rendered', async () => {
    const id = await sender.published();
    await postmesh.sql(`update messages.template_copies set html = '<p>{% if</p>' where template_id = $1`, [
      id,
    ]);
    expect(await errorOf(sender.template(id))).toBe(
      "400 template's published design holds a {{, {% or {# that cannot be rendered, fix it and publish it",
    );
  });

  it('spec 2-messages §1.4 rule 11 no subject in request and template; blanks are none', async () => {
    const id = await sender.published({ subject: null });
    const text = '400 the template has no subject, publish one on the template page or pass subject';
    for (const subject of [undefined, null, '', ' \t ']) {
      expect(await errorOf(sender.template(id, { subject }))).toBe(text);
    }
    const given = await sender.readSent(sender.template(id, { subject: 'Given' }));
    expect(given.body.subject).toBe('Given');
    const blank = await sender.readSent(sender.template(await sender.published(), { subject: '  ' }));
    expect(blank.body.subject).toBe('Hello');
  });

  it('spec 2-messages §1.4 rule 12 every recipient without its variables is named, and nothing is sent', async () => {
    const id = await sender.published({ content: { html: '<p>{{ a }}{{ b }}{{ c|default("x") }}</p>' } });
    const recipients = [to({ a: 1, b: 2 }), to({ a: 1 }, 'Bob@mail.test'), to(undefined, 'eve@mail.test')];
    expect(await errorOf(sender.template(id, { recipients, sandbox_result: 'x' }))).toBe(
      '400 missing required template variables: bob@mail.test needs b; eve@mail.test needs a, b',
    );
    const sent = await postmesh.sql('select from messages.send_requests where template_id = $1', [id]);
    expect(sent).toEqual([]);
    // an empty value counts as given
    const empty = { a: '', b: false };
    expect(await outcomes(sender.template(id, { recipients: [to(empty), to({ a: 0, b: '' })] }))).toEqual([
      'queued',
      'queued',
    ]);
  });

  it('spec 2-messages §1.4 rule 13, §1.4 rule 14, §1.4 rule 15 sandbox fields, then state, then schedule, retention and header values', async () => {
    const other = await Sender.make(postmesh);
    const id = await other.published();
    const pause = `/operator/domains/accounts/${other.account.id}/domains/${other.domain}/pause`;
    expect((await postmesh.operator('POST', pause, { reason: 'bounce_rate' })).status).toBeLessThan(300);
    const last = { schedule: { expires: 'soon' } };
    expect(await errorOf(other.template(id, { ...last, sandbox: false, sandbox_result: 'x' }))).toBe(
      '400 sandbox_result must be one of: deliver, bounce, defer, fail, suppress',
    );
    expect(await errorOf(other.template(id, { ...last, sandbox: false }))).toBe(
      `403 Sending from domain '${other.domain}' is paused. Check your dashboard for the reason.`,
    );
    expect(await errorOf(other.template(id, last))).toBe(
      '400 invalid schedule.expires, provide a valid RFC3339 time string',
    );
    expect(await errorOf(other.template(id, { retention: { data: 31 } }))).toBe(
      '400 retention.data must be from 0 to 30',
    );
    expect(await errorOf(other.template(id, { headers: { 'X-A': 'a\nb' } }))).toMatch(/^400 header 'X-A'/);
    expect(await outcomes(other.template(id))).toEqual(['queued']);
  });

  it('spec 2-messages §1.4 a request sender wins, the reply-to of the template stays; an own reply-to wins', async () => {
    const id = await sender.published({ reply_to: { email: `help@${sender.domain}` } });
    const from = { email: `other@${sender.domain}`, name: 'Other' };
    const message = await sender.readSent(sender.template(id, { from }));
    expect(message.header('from')).toBe(`Other <${from.email}>`);
    expect(message.header('reply-to')).toBe(`help@${sender.domain}`);
    const headers = { 'REPLY-TO': 'me@mail.test', Cc: 'c@mail.test' };
    const own = await sender.readSent(sender.template(id, { headers }));
    expect([own.header('reply-to'), own.header('cc')]).toEqual(['me@mail.test', undefined]);
  });

  it('spec 2-messages §1.4 is idempotent', async () => {
    const id = await sender.published();
    const post = (more: object) =>
      sender.post('/template', { template_id: id, recipients: [to({})], ...more }, { headers });
    const headers = { 'idempotency-key': unique('key') };
    const first = await post({});
    const again = await post({});
    expect([again.status, again.bytes.toString()]).toEqual([202, first.bytes.toString()]);
    expect((await post({ tags: ['x'] })).status).toBe(422);
  });
});

describe('spec 2-messages §12 unsubscribe links', () => {
  it('spec 2-messages §12 rule 1 a design that uses unsubscribe_url gets a link per recipient, in the headers, too', async () => {
    const content = {
      html: '<p><a href="{{ unsubscribe_url }}">stop</a></p>',
      text: 'stop: {{ unsubscribe_url }}',
    };
    const id = await sender.published({ content });
    const headers = { 'list-UNSUBSCRIBE': '<https://mine.test>', 'List-Unsubscribe-Post': 'mine' };
    const recipients = [to(undefined), to(undefined, 'bob@mail.test')];
    const sent = sender.template(id, { headers, recipients });
    const links: (string | undefined)[] = [];
    for (const nth of [0, 1]) {
      const message = await sender.readSent(sent, nth);
      const [, link] = /^<(https?:\/\/\S+\/u\/[\w-]+)>$/.exec(message.header('list-unsubscribe') ?? '') ?? [];
      expect(message.header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      expect(message.text).toBe(`stop: ${link}`);
      expect(message.body.content).not.toContain('mine');
      links.push(link);
    }
    expect(new Set(links).size).toBe(2);
    const without = await sender.readSent(sender.template(await sender.published(), { headers }));
    expect(without.header('list-unsubscribe')).toBe('<https://mine.test>');
    expect((await sender.readSent(sender.regular({ headers }))).header('list-unsubscribe-post')).toBe('mine');
  });
});
