import { SendBulkEmailCommand, SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import client from '@sendgrid/client';
import mailService from '@sendgrid/mail';
import { simpleParser, type ParsedMail } from 'mailparser';
import { beforeAll, describe, expect, it } from 'vitest';
import Mailgun from 'mailgun.js';
import { ServerClient } from 'postmark';
import { Resend } from 'resend';
import { SDK_CALLS } from '@postmesh/gateway';
import { newAccessKey, type AccessKey } from './access-keys.js';
import { eventually, sharedInstallation, unique } from './harness.js';
import { Sender } from './sends.js';

// The official SDKs of other services, unmodified: only the base URL and the key are ours.

const postmesh = sharedInstallation();
let sender: Sender;
let secret: string;
let from: string;

beforeAll(async () => {
  sender = await Sender.make(postmesh);
  secret = sender.account.key.secret;
  from = `Shop <${sender.from.email}>`;
});

const mailbox = (label: string) => `${unique(label)}@mail.test`;

/** The one message in the mailbox of an address, read by an independent parser. */
async function received(address: string): Promise<ParsedMail> {
  await eventually(async () => (await postmesh.messagesTo(address)).length).toBe(1);
  const [message] = await postmesh.messagesTo(address);
  return simpleParser(await postmesh.messageText(message!.id), { skipImageLinks: true });
}

const read = async (id: string) => (await sender.read(id)).body;

/** @returns how many messages the account has to an address */
async function messagesOf(recipient: string): Promise<number> {
  const query = new URLSearchParams({ recipient });
  const { body } = await postmesh.api(sender.account.key, 'GET', `{A}/messages?${query}`);
  return body.data.length;
}

const inSomeDays = (days: number) => new Date(Date.now() + days * 86_400_000);

const PICTURE = Buffer.from('not really a picture').toString('base64');
const INVOICE = Buffer.from('an invoice').toString('base64');

function expectFiles({ attachments, html }: ParsedMail, id = 'logo'): void {
  expect(html).toContain(`<img src="cid:${id}">`);
  const files = attachments.map(({ filename, contentType, content, cid }) => [
    filename,
    contentType,
    content.toString('base64'),
    cid,
  ]);
  expect(files).toEqual([
    ['logo.png', 'image/png', PICTURE, id],
    ['invoice.pdf', 'application/pdf', INVOICE, undefined],
  ]);
}

type Tests = Readonly<Record<string, () => Promise<void>>>;

const resend = () => new Resend(secret, { baseUrl: postmesh.url });

const RESEND: Tests = {
  'send with an attachment and an inline image': async () => {
    const [to, cc, bcc] = [mailbox('to'), mailbox('cc'), mailbox('bcc')];
    const { data, error } = await resend().emails.send({
      from,
      to: [`Ann <${to}>`],
      cc,
      bcc,
      replyTo: 'help@shop.test',
      subject: 'Grüße',
      html: '<p>Hi <img src="cid:logo"></p>',
      text: 'Hi',
      headers: { 'X-Order': '17' },
      tags: [{ name: 'kind', value: 'receipt' }],
      attachments: [
        { filename: 'logo.png', content: Buffer.from(PICTURE, 'base64'), contentId: 'logo' },
        { filename: 'invoice.pdf', content: INVOICE },
      ],
    });
    expect(error).toBeNull();
    const mail = await received(to);
    expect(mail).toMatchObject({
      subject: 'Grüße',
      text: expect.stringContaining('Hi'),
      from: { value: [{ address: sender.from.email, name: 'Shop' }] },
      to: { value: [{ address: to, name: 'Ann' }] },
      cc: { value: [{ address: cc }] },
      replyTo: { value: [{ address: 'help@shop.test' }] },
    });
    expect(mail.headers.get('x-order')).toBe('17');
    expectFiles(mail);
    await received(cc);
    expect((await received(bcc)).bcc).toBeUndefined();
    expect(await read(data!.id)).toMatchObject({ tags: ['kind:receipt'], recipient: to });
  },

  'send again with the same key': async () => {
    const to = mailbox('again');
    const send = (subject: string) =>
      resend().emails.send({ from, to, subject, text: 'Hi' }, { idempotencyKey: `key-${to}` });
    const [first, second, other] = [await send('One'), await send('One'), await send('Two')];
    expect(second.data).toEqual(first.data);
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(other.error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' });
    expect(await messagesOf(to)).toBe(1);
  },

  batch: async () => {
    const to = [mailbox('one'), mailbox('two'), mailbox('three')];
    const emails = to.map((address, at) => ({ from, to: address, subject: `No. ${at}`, text: 'Hi' }));
    const options = { idempotencyKey: unique('batch') };
    const { data, error } = await resend().batch.send(emails, options);
    expect(error).toBeNull();
    const subjects = await Promise.all(data!.data.map(async ({ id }) => (await read(id)).subject));
    expect(subjects).toEqual(['No. 0', 'No. 1', 'No. 2']);
    expect((await resend().batch.send(emails, options)).data).toEqual(data);
    const more = [...emails, { from, to: mailbox('four'), subject: 'No. 3', text: 'Hi' }];
    expect((await resend().batch.send(more, options)).error).toMatchObject({ statusCode: 409 });
    expect(await Promise.all([...to, more[3]!.to].map(messagesOf))).toEqual([1, 1, 1, 0]);
  },

  'batch with an error in it, strict and permissive': async () => {
    const good = { from, to: mailbox('good'), subject: 'Hi', text: 'Hi' };
    const emails = [good, { ...good, to: 'no-address' }, { ...good, from: 'ann@elsewhere.test' }];
    const strict = await resend().batch.send(emails.slice(0, 2));
    expect(strict.error).toMatchObject({
      statusCode: 422,
      message: 'emails[1]: to is not a valid email address',
    });
    expect(await messagesOf(good.to)).toBe(0);
    const { data } = await resend().batch.send(emails, { batchValidation: 'permissive' });
    expect(data).toMatchObject({
      data: [{ id: expect.any(String) }],
      errors: [{ index: 1 }, { index: 2 }],
    });
    expect(await messagesOf(good.to)).toBe(1);
  },

  template: async () => {
    const id = await sender.published({ content: { html: '<p>Code {{ code }}</p>' } });
    const to = mailbox('template');
    const { error } = await resend().emails.send({
      to,
      subject: 'Your code',
      template: { id, variables: { code: '991' } },
    });
    expect(error).toBeNull();
    expect(await received(to)).toMatchObject({
      subject: 'Your code',
      html: expect.stringContaining('Code 991'),
    });
  },

  'schedule, read and cancel': async () => {
    const to = mailbox('later');
    const scheduledAt = inSomeDays(2).toISOString();
    const { data } = await resend().emails.send({ from, to, subject: 'Later', text: 'Hi', scheduledAt });
    const { id } = data!;
    expect((await resend().emails.get(id)).data).toMatchObject({
      id,
      object: 'email',
      last_event: 'scheduled',
      to: [to],
      from,
      subject: 'Later',
      text: expect.stringContaining('Hi'),
      html: null,
    });
    const moved = await resend().emails.update({ id, scheduledAt });
    expect(moved.error).toMatchObject({ statusCode: 422, message: expect.stringContaining('scheduled_at') });
    expect((await resend().emails.cancel(id)).data).toEqual({ object: 'email', id });
    expect(await read(id)).toMatchObject({ status: 'Canceled' });
  },

  domains: async () => {
    const name = `${unique('domain')}.test`;
    const { data: made } = await resend().domains.create({ name, trackingSubdomain: 'go' });
    expect(made).toMatchObject({ id: name, name, status: 'not_started' });
    expect(made!.records.map(({ record }) => record)).toEqual(expect.arrayContaining(['SPF', 'DKIM']));
    expect((await resend().domains.verify(name)).data).toEqual({ object: 'domain', id: name });
    expect((await resend().domains.get(name)).data).toMatchObject({
      status: 'verified',
      tracking_subdomain: 'go',
    });
    const listed = (await resend().domains.list({ limit: 100 })).data!.data;
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([name, sender.domain]));
    expect((await resend().domains.remove(name)).data).toMatchObject({ deleted: true });
    expect((await resend().domains.get(name)).error).toMatchObject({ statusCode: 404, name: 'not_found' });
  },

  'segments and contacts': async () => {
    const { segments, contacts, audiences } = resend();
    const [name, email] = [unique('segment'), mailbox('contact')];
    const { data: segment } = await segments.create({ name });
    expect(segment).toMatchObject({ object: 'segment', name });
    const { id } = segment!;
    const made = await contacts.create({ email, firstName: 'Ann', segments: [{ id }] });
    expect(made.data).toMatchObject({ object: 'contact' });
    const contact = { id: made.data!.id, email, first_name: 'Ann', last_name: '', unsubscribed: false };
    expect((await contacts.get({ email })).data).toMatchObject(contact);
    expect((await contacts.list({ segmentId: id })).data).toMatchObject({ data: [contact], has_more: false });
    expect((await contacts.segments.list({ email })).data!.data).toMatchObject([{ id, name }]);
    const change = { id: contact.id, lastName: 'Lee', unsubscribed: true };
    expect((await contacts.update(change)).data).toEqual({ object: 'contact', id: contact.id });
    const changed = { ...contact, last_name: 'Lee', unsubscribed: true };
    expect((await contacts.get(contact.id)).data).toMatchObject(changed);
    expect((await contacts.segments.remove({ email, segmentId: id })).error).toBeNull();
    expect((await contacts.get({ email, audienceId: id })).error).toMatchObject({ statusCode: 404 });
    // a create of one that exists
    expect((await contacts.create({ email, audienceId: id })).data).toMatchObject({ id: contact.id });
    expect((await contacts.get({ email, audienceId: id })).data).toMatchObject(changed);
    const nowhere = await contacts.create({
      email: mailbox('other'),
      segments: [{ id: crypto.randomUUID() }],
    });
    expect(nowhere.error).toMatchObject({ statusCode: 404, message: 'list not found' });
    const withTopic = await contacts.create({ email, topics: [{ id: 'news', subscription: 'opt_in' }] });
    expect(withTopic.error).toMatchObject({ statusCode: 422, message: expect.stringContaining('topics') });
    expect((await segments.update(id, { name: `${name}-2` })).error).toBeNull();
    expect((await audiences.get(id)).data).toMatchObject({ name: `${name}-2` });
    expect((await contacts.remove({ email })).data).toMatchObject({ deleted: true });
    expect((await contacts.get({ email })).error).toMatchObject({ statusCode: 404 });
    expect((await segments.remove(id)).data).toMatchObject({ deleted: true });
    expect((await segments.list()).data!.data.map((one) => one.id)).not.toContain(id);
  },

  errors: async () => {
    const email = { from, to: mailbox('error'), subject: 'Hi', text: 'Hi' };
    const stranger = new Resend('re_unknown', { baseUrl: postmesh.url });
    expect((await stranger.emails.send(email)).error).toMatchObject({
      statusCode: 403,
      name: 'invalid_api_key',
    });
    const topic = await resend().emails.send({ ...email, topicId: 'news' });
    expect(topic.error).toEqual({
      statusCode: 422,
      name: 'validation_error',
      message: 'topic_id is not supported: there are no topics',
    });
    const key = await postmesh.newKey(sender.account, { scopes: ['domains:read'] });
    const restricted = new Resend(key.secret, { baseUrl: postmesh.url });
    expect((await restricted.emails.send(email)).error).toMatchObject({
      statusCode: 401,
      name: 'restricted_api_key',
    });
    const elsewhere = await resend().emails.send({ ...email, from: 'ann@elsewhere.test' });
    expect(elsewhere.error).toMatchObject({ statusCode: 400, name: 'validation_error' });
  },
};

const postmark = (key = secret) =>
  new ServerClient(key, { requestHost: postmesh.url.replace('http://', ''), useHttps: false });

const POSTMARK: Tests = {
  'send with an attachment and an inline image': async () => {
    const [to, cc, bcc] = [mailbox('to'), mailbox('cc'), mailbox('bcc')];
    const sent = await postmark().sendEmail({
      From: from,
      To: `"Ann, B." <${to}>`,
      Cc: cc,
      Bcc: bcc,
      ReplyTo: 'help@shop.test',
      Subject: 'Grüße',
      HtmlBody: '<p>Hi <img src="cid:logo"></p>',
      TextBody: 'Hi',
      Tag: 'receipt',
      Metadata: { order: '17' },
      TrackOpens: false,
      Headers: [{ Name: 'X-Order', Value: '17' }],
      Attachments: [
        { Name: 'logo.png', Content: PICTURE, ContentType: 'image/png', ContentID: 'cid:logo' },
        { Name: 'invoice.pdf', Content: INVOICE, ContentType: 'application/pdf', ContentID: null },
      ],
      MessageStream: 'outbound',
    });
    expect(sent).toMatchObject({ ErrorCode: 0, Message: 'OK', Cc: cc, MessageID: expect.any(String) });
    const mail = await received(to);
    expect(mail).toMatchObject({
      subject: 'Grüße',
      to: { value: [{ address: to, name: 'Ann, B.' }] },
      cc: { value: [{ address: cc }] },
      replyTo: { value: [{ address: 'help@shop.test' }] },
    });
    expect(mail.headers.get('x-order')).toBe('17');
    expectFiles(mail);
    await received(bcc);
    expect(await read(sent.MessageID)).toMatchObject({ tags: ['receipt', 'order:17'] });
  },

  'batch with an error in it': async () => {
    const to = [mailbox('one'), mailbox('two')];
    const emails = to.map((To) => ({ From: from, To, Subject: 'Hi', TextBody: 'Hi' }));
    const results = await postmark().sendEmailBatch([
      emails[0]!,
      { ...emails[0]!, To: 'no-address' },
      { ...emails[0]!, From: 'ann@elsewhere.test' },
      emails[1]!,
    ]);
    expect(results.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 400, 0]);
    expect(await Promise.all(to.map(messagesOf))).toEqual([1, 1]);
  },

  templates: async () => {
    const id = await sender.published({ content: { html: '<p>Code {{ code }}</p>' } });
    const to = [mailbox('one'), mailbox('two'), mailbox('three')];
    const [one, ...others] = to.map((To, at) => ({
      From: from,
      To,
      TemplateAlias: id,
      TemplateModel: { code: `code ${at}` },
    }));
    expect(await postmark().sendEmailWithTemplate(one!)).toMatchObject({ ErrorCode: 0 });
    const results = await postmark().sendEmailBatchWithTemplates(others);
    expect(results.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 0]);
    const bodies = await Promise.all(to.map(async (address) => (await received(address)).html));
    expect(bodies.map((html) => /code \d/.exec(String(html))?.[0])).toEqual(['code 0', 'code 1', 'code 2']);
  },

  'read templates': async () => {
    const html = '<p>Code {{ code }}</p>';
    const Alias = await sender.published({ name: unique('template'), content: { html } });
    const { TotalCount, Templates } = await postmark().getTemplates({ count: 500 });
    expect(Templates.map((one) => one.Alias)).toContain(Alias);
    expect(Templates.length).toBe(TotalCount);
    const rest = await postmark().getTemplates({ count: 1, offset: TotalCount - 1 });
    expect(rest).toEqual({ TotalCount, Templates: [Templates.at(-1)] });
    expect(await postmark().getTemplate(Alias)).toMatchObject({ Alias, Subject: 'Hello', HtmlBody: html });
    await expect(postmark().getTemplate(crypto.randomUUID())).rejects.toMatchObject({ code: 1101 });
  },

  errors: async () => {
    const email = { From: from, To: mailbox('error'), Subject: 'Hi', TextBody: 'Hi' };
    await expect(postmark('unknown').sendEmail(email)).rejects.toMatchObject({
      name: 'InvalidAPIKeyError',
      code: 10,
      statusCode: 401,
    });
    await expect(postmark().sendEmail({ ...email, MessageStream: 'news' })).rejects.toMatchObject({
      name: 'InvalidEmailRequestError',
      code: 300,
      statusCode: 422,
      message: 'MessageStream is not supported: there are no streams',
    });
    const template = { ...email, TemplateAlias: crypto.randomUUID(), TemplateModel: {} };
    const { Subject: _subject, TextBody: _text, ...templated } = template;
    await expect(postmark().sendEmailWithTemplate(templated)).rejects.toMatchObject({ code: 1101 });
  },
};

/** The one client of the package, for one call or some. */
function sendgrid(key = secret, idempotencyKey = '') {
  client.setApiKey(key);
  client.setDefaultRequest('baseUrl', postmesh.url);
  client.setDefaultHeader('Idempotency-Key', idempotencyKey);
  mailService.setClient(client);
  return mailService;
}

/** As their examples have it; the declared `contentId` is sent as it is, which their API does not know either. */
const LOGO = {
  filename: 'logo.png',
  content: PICTURE,
  type: 'image/png',
  disposition: 'inline',
  content_id: 'logo',
};

const idOf = ([{ headers }]: [{ headers: object }, unknown]): string =>
  (headers as Record<string, string>)['x-message-id']!;

const SENDGRID: Tests = {
  'send with an attachment and an inline image': async () => {
    const [to, cc, bcc] = [mailbox('to'), mailbox('cc'), mailbox('bcc')];
    const sent = await sendgrid().send({
      from: { email: sender.from.email, name: 'Shop' },
      to: { email: to, name: 'Ann' },
      cc,
      bcc,
      replyTo: 'help@shop.test',
      subject: 'Grüße',
      html: '<p>Hi <img src="cid:logo"></p>',
      text: 'Hi',
      headers: { 'X-Order': '17' },
      categories: ['receipt'],
      customArgs: { order: '17' },
      trackingSettings: {
        clickTracking: { enable: false, enableText: false },
        openTracking: { enable: false },
      },
      attachments: [LOGO, { filename: 'invoice.pdf', content: INVOICE, disposition: 'attachment' }],
    });
    expect(sent[0].statusCode).toBe(202);
    const mail = await received(to);
    expect(mail).toMatchObject({
      subject: 'Grüße',
      from: { value: [{ address: sender.from.email, name: 'Shop' }] },
      to: { value: [{ address: to, name: 'Ann' }] },
      cc: { value: [{ address: cc }] },
      replyTo: { value: [{ address: 'help@shop.test' }] },
    });
    expect(mail.headers.get('x-order')).toBe('17');
    expectFiles(mail);
    await received(bcc);
    expect(await read(idOf(sent))).toMatchObject({ tags: ['receipt', 'order:17'] });
  },

  'send again with the same key': async () => {
    const to = mailbox('again');
    const mail = sendgrid(secret, to);
    const email = { from, to, subject: 'Hi', text: 'Hi' };
    expect(idOf(await mail.send(email))).toBe(idOf(await mail.send(email)));
    await expect(mail.send({ ...email, subject: 'Other' })).rejects.toMatchObject({ code: 400 });
    expect(await messagesOf(to)).toBe(1);
  },

  'personalizations with substitutions': async () => {
    const to = [mailbox('one'), mailbox('two')];
    await sendgrid().send({
      from,
      subject: 'Hi {{name}}',
      html: '<p>Dear {{name}}, {% raw %}</p>',
      personalizations: to.map((address, at) => ({
        to: address,
        substitutions: { name: at === 0 ? 'Ann <3' : 'Bob' },
        ...(at === 1 && { subject: 'Only for {{name}}' }),
      })),
    });
    const [ann, bob] = await Promise.all(to.map(received));
    expect([ann!.subject, bob!.subject]).toEqual(['Hi Ann <3', 'Only for Bob']);
    expect(ann!.html).toContain('Dear Ann <3, {% raw %}');
    expect(bob!.html).toContain('Dear Bob');
  },

  'dynamic template': async () => {
    const id = await sender.published({ content: { html: '<p>Code {{ code }}</p>' } });
    const to = mailbox('template');
    const templateId = `d-${id}`;
    await sendgrid().send({ from, to, templateId, dynamicTemplateData: { code: '991' } });
    expect((await received(to)).html).toContain('Code 991');
  },

  'schedule and sandbox': async () => {
    const email = { from, to: mailbox('later'), subject: 'Later', text: 'Hi' };
    const sendAt = Math.floor(inSomeDays(2).getTime() / 1_000);
    const later = idOf(await sendgrid().send({ ...email, sendAt }));
    expect(await read(later)).toMatchObject({ status: 'Scheduled' });
    const tried = await sendgrid().send({ ...email, mailSettings: { sandboxMode: { enable: true } } });
    expect(tried[0].statusCode).toBe(200);
    await eventually(async () => (await read(idOf(tried))).status).toBe('Sandbox Delivered');
  },

  suppressions: async () => {
    const email = mailbox('suppressed');
    const body = { email, domain: sender.domain, expires_at: '2100-01-01T00:00:00Z', reason: 'mailbox full' };
    await postmesh.api(sender.account.key, 'POST', '{A}/suppressions', { body });
    sendgrid();
    const get = async (url: string) => (await client.request({ method: 'GET', url })).at(1);
    const entry = { created: expect.any(Number), email, reason: 'mailbox full', status: '' };
    expect(await get('/v3/suppression/bounces')).toContainEqual(entry);
    expect(await get(`/v3/suppression/bounces/${email}`)).toEqual([entry]);
    expect(await get(`/v3/suppression/spam_reports/${email}`)).toEqual([]);
    expect(await get(`/v3/asm/suppressions/global/${email}`)).toEqual({});
    const remove = (kind: string) =>
      client.request({ method: 'DELETE', url: `/v3/suppression/${kind}/${email}` });
    await expect(remove('unsubscribes')).rejects.toMatchObject({ code: 404 });
    expect((await remove('bounces'))[0].statusCode).toBe(204);
    expect(await get(`/v3/suppression/bounces/${email}`)).toEqual([]);
  },

  'read templates': async () => {
    const html = '<p>Code {{ code }}</p>';
    const id = `d-${await sender.published({ name: unique('template'), content: { html } })}`;
    sendgrid();
    const get = async (path: string, qs = {}) =>
      (await client.request({ method: 'GET', url: `/v3/templates${path}`, qs })).at(1) as never;
    const listed: { result: { id: string }[] } = await get('', { generations: 'dynamic', page_size: 200 });
    expect(listed.result.map((one) => one.id)).toContain(id);
    expect(await get('', { generations: 'legacy' })).toEqual({ result: [], _metadata: {} });
    const first: { result: object[]; _metadata: { next: string } } = await get('', { page_size: 1 });
    expect(first.result).toEqual(listed.result.slice(0, 1));
    const page_token = new URL(first._metadata.next, postmesh.url).searchParams.get('page_token');
    expect(await get('', { page_size: 1, page_token })).toMatchObject({ result: listed.result.slice(1, 2) });
    expect(await get(`/${id}`)).toMatchObject({
      id,
      generation: 'dynamic',
      versions: [{ template_id: id, active: 1, subject: 'Hello', html_content: html }],
    });
    await expect(get(`/${crypto.randomUUID()}`)).rejects.toMatchObject({ code: 404 });
  },

  errors: async () => {
    const email = { from, to: mailbox('error'), subject: 'Hi', text: 'Hi' };
    await expect(sendgrid('SG.unknown').send(email)).rejects.toMatchObject({ code: 401 });
    await expect(sendgrid().send({ ...email, ipPoolName: 'news' })).rejects.toMatchObject({
      code: 400,
      response: {
        body: {
          errors: [
            {
              message: 'ip_pool_name is not supported: the operator assigns addresses to accounts',
              field: 'ip_pool_name',
              help: null,
            },
          ],
        },
      },
    });
    expect(await messagesOf(email.to)).toBe(0);
  },
};

const mailgun = (key = secret) => new Mailgun(FormData).client({ username: 'api', key, url: postmesh.url });

const MAILGUN: Tests = {
  'send with an attachment and an inline image': async () => {
    const [to, cc, bcc] = [mailbox('to'), mailbox('cc'), mailbox('bcc')];
    const sent = await mailgun().messages.create(sender.domain, {
      from,
      to: [`Ann <${to}>`],
      cc,
      bcc,
      subject: 'Grüße',
      html: '<p>Hi <img src="cid:logo.png"></p>',
      text: 'Hi',
      'h:Reply-To': 'help@shop.test',
      'h:X-Order': '17',
      'v:order': '17',
      'o:tag': ['receipt', 'spring'],
      'o:tracking': false,
      inline: [{ filename: 'logo.png', data: Buffer.from(PICTURE, 'base64'), contentType: 'image/png' }],
      attachment: [{ filename: 'invoice.pdf', data: Buffer.from(INVOICE, 'base64') }],
    });
    expect(sent).toMatchObject({ status: 200, message: 'Queued. Thank you.' });
    const mail = await received(to);
    expect(mail).toMatchObject({
      messageId: sent.id,
      subject: 'Grüße',
      to: { value: [{ address: to, name: 'Ann' }] },
      cc: { value: [{ address: cc }] },
      replyTo: { value: [{ address: 'help@shop.test' }] },
    });
    expect(mail.headers.get('x-order')).toBe('17');
    expect(mail.headers.get('x-mailgun-variables')).toBe('{"order":"17"}');
    expectFiles(mail, 'logo.png');
    await received(bcc);
    expect(await read(sent.id!)).toMatchObject({ tags: ['receipt', 'spring'] });
  },

  'schedule and test mode': async () => {
    const email = { from, to: mailbox('later'), subject: 'Later', text: 'Hi' };
    const time = inSomeDays(2).toUTCString();
    const later = await mailgun().messages.create(sender.domain, { ...email, 'o:deliverytime': time });
    expect(await read(later.id!)).toMatchObject({ status: 'Scheduled' });
    const tried = await mailgun().messages.create(sender.domain, { ...email, 'o:testmode': true });
    await eventually(async () => (await read(tried.id!)).status).toBe('Sandbox Delivered');
  },

  'recipient variables': async () => {
    const to = [mailbox('one'), mailbox('two')];
    await mailgun().messages.create(sender.domain, {
      from,
      to,
      subject: 'Hi %recipient.name%',
      text: 'To %recipient_email%: %recipient.code%, {{ untouched }}',
      'recipient-variables': JSON.stringify({
        [to[0]!]: { name: 'Ann', code: 1 },
        [to[1]!]: { name: 'Bob', code: 2 },
      }),
    });
    const [ann, bob] = await Promise.all(to.map(received));
    expect([ann!.subject, bob!.subject]).toEqual(['Hi Ann', 'Hi Bob']);
    expect(ann!.text).toContain(`To ${to[0]}: 1, {{ untouched }}`);
    expect(bob!.to).toMatchObject({ value: [{ address: to[1] }] });
  },

  template: async () => {
    const template = await sender.published({ content: { html: '<p>{{ name }}: {{ code }}</p>' } });
    const to = [mailbox('one'), mailbox('two')];
    await mailgun().messages.create(sender.domain, {
      from,
      to,
      template,
      't:variables': JSON.stringify({ code: '991' }),
      'recipient-variables': JSON.stringify({ [to[0]!]: { name: 'Ann' }, [to[1]!]: { name: 'Bob' } }),
    });
    const [ann, bob] = await Promise.all(to.map(received));
    expect([ann!.html, bob!.html]).toEqual([
      expect.stringContaining('Ann: 991'),
      expect.stringContaining('Bob: 991'),
    ]);
  },

  MIME: async () => {
    const [to, hidden] = [mailbox('mime'), mailbox('hidden')];
    const message = [
      `From: ${from}`,
      `To: Ann <${to}>`,
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'X-Order: 17',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Grüße</p>',
      '--b',
      'Content-Type: application/pdf; name=invoice.pdf',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename=invoice.pdf',
      '',
      INVOICE,
      '--b--',
      '',
    ].join('\r\n');
    await mailgun().messages.create(sender.domain, { to: [to, hidden], message, 'o:tag': 'mime' });
    const mail = await received(to);
    expect(mail).toMatchObject({ subject: 'Grüße', html: expect.stringContaining('<p>Grüße</p>') });
    expect(mail.headers.get('x-order')).toBe('17');
    expect(mail.attachments).toMatchObject([{ filename: 'invoice.pdf', contentType: 'application/pdf' }]);
    expect(await received(hidden)).toMatchObject({ to: { value: [{ address: to, name: 'Ann' }] } });
  },

  errors: async () => {
    const email = { from, to: mailbox('error'), subject: 'Hi', text: 'Hi' };
    await expect(mailgun('unknown').messages.create(sender.domain, email)).rejects.toMatchObject({
      status: 401,
    });
    await expect(
      mailgun().messages.create(sender.domain, { ...email, 'o:require-tls': true }),
    ).rejects.toMatchObject({
      status: 400,
      details: 'o:require-tls is not supported: TLS is used where a server offers it',
    });
    await expect(mailgun().messages.create('elsewhere.test', email)).rejects.toMatchObject({ status: 400 });
    expect(await messagesOf(email.to)).toBe(0);
  },
};

let accessKey: Promise<AccessKey> | undefined;
const ses = async (given: Promise<AccessKey> = (accessKey ??= newAccessKey(postmesh, sender))) => {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = await given;
  const credentials = { accessKeyId, secretAccessKey };
  return new SESv2Client({ endpoint: postmesh.url, region: 'eu-west-1', credentials, maxAttempts: 1 });
};

const simple = (to: string, more: object = {}) => ({
  FromEmailAddress: from,
  Destination: { ToAddresses: [to] },
  Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hi' } } } },
  ...more,
});

const SES: Tests = {
  'send with an attachment and an inline image': async () => {
    const [to, cc, bcc] = [mailbox('to'), mailbox('cc'), mailbox('bcc')];
    const { MessageId } = await (
      await ses()
    ).send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [`Ann <${to}>`], CcAddresses: [cc], BccAddresses: [bcc] },
        ReplyToAddresses: ['help@shop.test'],
        EmailTags: [{ Name: 'kind', Value: 'receipt' }],
        Content: {
          Simple: {
            Subject: { Data: 'Grüße', Charset: 'UTF-8' },
            Body: {
              Text: { Data: 'Hi', Charset: 'UTF-8' },
              Html: { Data: '<p>Hi <img src="cid:logo"></p>', Charset: 'UTF-8' },
            },
            Headers: [{ Name: 'X-Order', Value: '17' }],
            Attachments: [
              {
                FileName: 'logo.png',
                RawContent: Buffer.from(PICTURE, 'base64'),
                ContentId: 'logo',
                ContentDisposition: 'INLINE',
              },
              { FileName: 'invoice.pdf', RawContent: Buffer.from(INVOICE, 'base64') },
            ],
          },
        },
      }),
    );
    const mail = await received(to);
    expect(mail).toMatchObject({
      subject: 'Grüße',
      from: { value: [{ address: sender.from.email, name: 'Shop' }] },
      to: { value: [{ address: to, name: 'Ann' }] },
      cc: { value: [{ address: cc }] },
      replyTo: { value: [{ address: 'help@shop.test' }] },
    });
    expect(mail.headers.get('x-order')).toBe('17');
    expectFiles(mail);
    expect((await received(bcc)).bcc).toBeUndefined();
    expect(await read(MessageId!)).toMatchObject({ tags: ['kind:receipt'], recipient: to });
  },

  raw: async () => {
    const [to, hidden, header] = [mailbox('raw'), mailbox('hidden'), mailbox('header')];
    const message = (address: string, more = '') =>
      [`From: ${from}`, `To: Ann <${address}>`, ...(more ? [more] : []), 'Subject: Raw', '', 'Hi', ''].join(
        '\r\n',
      );
    const client = await ses();
    const given = { Data: Buffer.from(message(to)) };
    await client.send(
      new SendEmailCommand({ Destination: { ToAddresses: [to, hidden] }, Content: { Raw: given } }),
    );
    expect(await received(to)).toMatchObject({ subject: 'Raw' });
    expect(await received(hidden)).toMatchObject({ to: { value: [{ address: to, name: 'Ann' }] } });
    const blind = mailbox('blind');
    const ofHeaders = { Data: Buffer.from(message(header, `Bcc: ${blind}`)) };
    await client.send(new SendEmailCommand({ Content: { Raw: ofHeaders } }));
    expect((await received(header)).bcc).toBeUndefined();
    await received(blind);
  },

  template: async () => {
    const TemplateName = await sender.published({ content: { html: '<p>{{ total }} {{ id }}</p>' } });
    const to = mailbox('template');
    const TemplateData = '{"total":1.10,"id":12345678901234567890}';
    const Content = { Template: { TemplateName, TemplateData } };
    await (await ses()).send(new SendEmailCommand({ ...simple(to), Content }));
    expect((await received(to)).html).toContain('1.10 12345678901234567890');
  },

  bulk: async () => {
    const TemplateName = await sender.published({ content: { html: '<p>Hi {{ name }}, {{ shop }}</p>' } });
    const to = [mailbox('one'), mailbox('two')];
    const { BulkEmailEntryResults: results } = await (
      await ses()
    ).send(
      new SendBulkEmailCommand({
        FromEmailAddress: from,
        DefaultContent: {
          Template: { TemplateName, TemplateData: JSON.stringify({ name: 'friend', shop: 'Shop' }) },
        },
        BulkEmailEntries: [
          {
            Destination: { ToAddresses: [to[0]!] },
            ReplacementEmailContent: {
              ReplacementTemplate: { ReplacementTemplateData: JSON.stringify({ name: 'Ann' }) },
            },
          },
          { Destination: { ToAddresses: [to[1]!] } },
          { Destination: { ToAddresses: to } },
        ],
      }),
    );
    expect(results).toMatchObject([
      { Status: 'SUCCESS', MessageId: expect.any(String) },
      { Status: 'SUCCESS', MessageId: expect.any(String) },
      { Status: 'MESSAGE_REJECTED', Error: expect.stringContaining('must be one address') },
    ]);
    expect((await received(to[0]!)).html).toContain('Hi Ann, Shop');
    expect((await received(to[1]!)).html).toContain('Hi friend, Shop');
  },

  'another access key ends the first': async () => {
    const first = await ses();
    await first.send(new SendEmailCommand(simple(mailbox('first'))));
    accessKey = newAccessKey(postmesh, sender);
    const second = await ses(accessKey);
    await expect(first.send(new SendEmailCommand(simple(mailbox('ended'))))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
    await second.send(new SendEmailCommand(simple(mailbox('second'))));
  },

  errors: async () => {
    const client = await ses();
    const to = mailbox('error');
    const fails = (more: object) =>
      expect(client.send(new SendEmailCommand(simple(to, more)))).rejects.toMatchObject;
    await fails({ ConfigurationSetName: 'set' })({
      name: 'BadRequestException',
      message: 'ConfigurationSetName is not supported: there are no configuration sets',
    });
    await fails({ FromEmailAddress: 'a@elsewhere.test' })({ $metadata: { httpStatusCode: 400 } });
    const { access_key_id: id } = await accessKey!;
    const wrong = await ses(Promise.resolve({ access_key_id: id, secret_access_key: 'wrong' }));
    await expect(wrong.send(new SendEmailCommand(simple(to)))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
      $metadata: { httpStatusCode: 403 },
    });
    expect(await messagesOf(to)).toBe(0);
  },
};

const TESTS: Readonly<Record<string, Tests>> = {
  ses: SES,
  resend: RESEND,
  postmark: POSTMARK,
  sendgrid: SENDGRID,
  mailgun: MAILGUN,
};

const OF_NODE = SDK_CALLS.filter(({ language }) => language === 'Node');

describe.each(OF_NODE.map((sdk) => ({ ...sdk, tests: TESTS[sdk.dialect] ?? {} })))(
  'the SDK of $dialect',
  ({ calls, tests }) => {
    it.each(calls)('%s', (call) => tests[call]!());

    it('has no test that the reference does not list', () => {
      expect(Object.keys(tests)).toEqual(calls);
    });
  },
);

it('the values of a template keep the digits of their numbers', async () => {
  const id = await sender.published({ content: { html: '<p>{{ total }} {{ id }}</p>' } });
  const to = mailbox('digits');
  const sent = await postmesh.api(sender.account.key, 'POST', '/emails', {
    rawBody: `{"to":"${to}","template":{"id":"${id}","variables":{"total":1.10,"id":12345678901234567890}}}`,
  });
  expect(sent.status).toBe(200);
  expect((await received(to)).html).toContain('1.10 12345678901234567890');
});
