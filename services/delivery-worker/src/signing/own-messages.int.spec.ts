import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MessageRenderer, type RequestContent } from '@postmesh/message-content';
import { testDatabase } from '@postmesh/testing';
import { headerOf, MailHost, type TakenMessage } from '../testing/mail-host.js';
import { signingKey, startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  const { status, body } = signingKey('');
  const domains = () => ({ status, body: { ...(body as object), tracking_host: 'track.shop.test' } });
  const settings = { retryDelaysSeconds: ['0.1', '0.1', '0.1'] };
  worker = await startWorker({ databaseUrl: database.url, port: host.port, domains, settings });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(() => {
  host.messages.length = 0;
  host.manners = {};
});

const TWO = ['ann@mail.test', 'bob@mail.test'];
/** A template send: values of each recipient by the order of the ids. */
const template =
  (source: Partial<RequestContent>, ...values: readonly Record<string, unknown>[]) =>
  (ids: readonly string[]): Partial<RequestContent> => ({
    rendering: { escapeHtml: true },
    recipients: Object.fromEntries(ids.map((id, nth) => [id, { values: values[nth] ?? {} }])),
    ...source,
  });
const takenBy = (recipient: string) => host.messages.filter((message) => message.recipient === recipient);
const bodyOf = ({ text }: TakenMessage) =>
  text
    .slice(text.indexOf('\r\n\r\n') + 4)
    .replaceAll('=\r\n', '')
    .replaceAll('=3D', '=');

describe('recipients with messages of their own', () => {
  it('get each the message that is rendered for them', async () => {
    const own = template(
      {
        subject: 'For {{ name }}',
        text: undefined,
        html: '<body>{{ name }} <a href="https://shop.test/{{ name }}">x</a></body>',
        preheader: 'Hi {{ name }}',
        headers: [{ name: 'List-Unsubscribe', value: '<{{ link }}>' }],
      },
      { name: 'A&nn', link: 'https://s.test/1' },
      { name: 'Bob', link: 'https://s.test/2' },
    );
    const ids = await worker.accept({ to: TWO, own, tracking: { open: true, click: true } });
    await host.waitFor(2);
    const [ann, bob] = TWO.map((recipient) => takenBy(recipient)[0]!);
    expect(['To', 'Subject', 'Message-ID', 'List-Unsubscribe'].map((name) => headerOf(bob!, name))).toEqual([
      'bob@mail.test',
      'For Bob',
      `<${ids[1]}@shop.test>`,
      '<https://s.test/2>',
    ]);
    expect(headerOf(ann!, 'To')).toBe('ann@mail.test');
    expect(headerOf(ann!, 'DKIM-Signature')).toMatch(/h=[^;]*list-unsubscribe:[^;]*cfbl-address/);
    expect(bodyOf(ann!)).toMatch(
      /^<body><div [^>]*>Hi A&amp;nn<\/div>A&amp;nn <a href="https:\/\/track\.shop\.test\/c\//,
    );
    expect(bodyOf(bob!)).toMatch(/<img src="https:\/\/track\.shop\.test\/o\/[\w-]+" [^>]*><\/body>/);
  });

  it('get the same message at every retry', async () => {
    host.manners = { accept: () => (host.messages.length < 3 ? '451 4.3.0 later' : undefined) };
    const own = template({ text: 'Hi {{ name }}' }, { name: 'Ann' });
    const [id] = await worker.accept({ own, tracking: { open: true, click: true } });
    await worker.outcome(id!, 'delivered');
    const unsigned = ({ text }: TakenMessage) => text.slice(text.indexOf('\r\nDate: '));
    expect(host.messages).toHaveLength(3);
    expect(new Set(host.messages.map(unsigned)).size).toBe(1);
    expect(unsigned(host.messages[0]!)).toContain('Hi Ann');
  });

  it('fail with the reason, and alone, where their values make rendering fail', async () => {
    const own = template(
      { text: '{% for a in rows %}{% for b in rows %}{% endfor %}{% endfor %}{{ rows|length }}' },
      { rows: Array.from({ length: 400 }, () => 1) },
      { rows: [1] },
    );
    const [ann, bob] = await worker.accept({ to: TWO, own });
    expect(await worker.outcome(ann!, 'failed')).toMatchObject({
      attempt: 0,
      reply: {
        smtp_code: 0,
        response: expect.stringMatching(/^text_content cannot be rendered: .*loop steps/),
      },
    });
    await worker.outcome(bob!, 'delivered');
    expect(host.recipients).toEqual(['bob@mail.test']);
  });

  it('wait while rendering takes too long, uses up no attempt, and ends with the window', async () => {
    const reason = 'rendering takes longer than 1 s';
    const renderer = worker.service.get(MessageRenderer);
    const slow = vi
      .spyOn(renderer, 'render')
      .mockResolvedValueOnce([{ ok: false, part: 'text_content', reason, slow: true }]);
    const [id] = await worker.accept({ own: template({ text: 'Hi {{ name }}' }, { name: 'Ann' }) });
    const row = async () => (await worker.deliveries()).find((one) => one.id === id);
    await expect.poll(async () => (await row())?.reason).toBe(`text_content cannot be rendered: ${reason}`);
    expect(await row()).toMatchObject({ state: 'waiting', attempts: 0 });
    expect((await row())!.first_attempt_at).not.toBeNull();
    slow.mockRestore();
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 1 });
  });
});
