import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SDK_CALLS } from '@postmesh/gateway';
import { realPart } from '@postmesh/testing';
import { newAccessKey, type AccessKey } from './access-keys.js';
import { eventually, sharedInstallation, unique } from './harness.js';
import { Sender } from './sends.js';

// The SDKs of other services in Python and Go, unmodified: only the base URL and the key are ours. Those of Node are in
// dialects.spec.ts.

const PROGRAMS = new URL('../dialect-sdks/', import.meta.url).pathname;
const python = realPart('SDK_PYTHON', process.env.SDK_PYTHON);
const go = realPart('SDK_GO', process.env.SDK_GO);
const BUILD_MS = 300_000;

const PICTURE = Buffer.from('not really a picture').toString('base64');
const INVOICE = Buffer.from('an invoice').toString('base64');

const postmesh = sharedInstallation();
let sender: Sender;
let folder: string;
let template: string;
let accessKey: AccessKey;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-dialect-sdks-'));
  sender = await Sender.make(postmesh);
  template = await sender.published({ content: { html: '<p>Code {{ code }}</p>' } });
  accessKey = await newAccessKey(postmesh, sender);
  if (go !== undefined) await run(go, ['build', '-o', join(folder, 'calls'), '.'], join(PROGRAMS, 'go'));
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** @returns its output */
async function run(command: string, args: readonly string[], cwd: string, input = ''): Promise<string> {
  const env = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, args, { cwd, env });
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${errors}`);
  return output;
}

interface Outcome {
  ids: string[];
  errors?: { status: number; message: string }[] | null;
  contents?: string[] | null;
}

/** The mail of one call. */
function newMail() {
  const mailbox = (label: string) => `${unique(label)}@mail.test`;
  const at = new Date(Date.now() + 2 * 86_400_000);
  return {
    url: postmesh.url,
    secret: sender.account.key.secret,
    access: accessKey,
    domain: sender.domain,
    from: `Shop <${sender.from.email}>`,
    address: sender.from.email,
    to: mailbox('to'),
    cc: mailbox('cc'),
    bcc: mailbox('bcc'),
    several: [mailbox('one'), mailbox('two')],
    subject: 'Grüße',
    key: unique('key'),
    template,
    at: at.toISOString(),
    rfc2822: at.toUTCString(),
    seconds: Math.floor(at.getTime() / 1_000),
    picture: PICTURE,
    invoice: INVOICE,
  };
}
type Mail = ReturnType<typeof newMail>;

async function received(address: string) {
  await eventually(async () => (await postmesh.messagesTo(address)).length).toBe(1);
  const [message] = await postmesh.messagesTo(address);
  return simpleParser(await postmesh.messageText(message!.id), { skipImageLinks: true });
}

async function messagesOf(recipient: string): Promise<{ status: string; tags: string[] }[]> {
  const query = new URLSearchParams({ recipient });
  return (await postmesh.api(sender.account.key, 'GET', `{A}/messages?${query}`)).body.data;
}

/** The effect of each call, by its name in the programs. */
const EXPECTED: Readonly<Record<string, (mail: Mail, outcome: Outcome) => Promise<void>>> = {
  files: async ({ to, cc, bcc, subject, address }, { ids }) => {
    expect(ids.length).toBe(1);
    const mail = await received(to);
    expect(mail).toMatchObject({
      subject,
      text: expect.stringContaining('Hi'),
      from: { value: [{ address, name: 'Shop' }] },
      to: { value: [{ address: to }] },
      cc: { value: [{ address: cc }] },
      replyTo: { value: [{ address: 'help@shop.test' }] },
    });
    expect(mail.headers.get('x-order')).toBe('17');
    const files = mail.attachments.map(({ filename, contentType, content, cid }) => [
      filename,
      contentType,
      content.toString('base64'),
      cid,
    ]);
    const [, , , cid] = files.find(([name]) => name === 'logo.png') ?? [];
    expect(files).toEqual([
      ['logo.png', 'image/png', PICTURE, cid],
      ['invoice.pdf', 'application/pdf', INVOICE, undefined],
    ]);
    expect(mail.html).toContain(`<img src="cid:${cid}">`);
    expect((await received(bcc)).bcc).toBeUndefined();
    expect(await messagesOf(to)).toMatchObject([{ tags: ['kind:receipt'] }]);
  },

  again: async ({ to }, { ids, errors }) => {
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(errors).toMatchObject([{ message: expect.stringMatching(/idempotency/i) }]);
    expect((await messagesOf(to)).length).toBe(1);
  },

  raw: async ({ to, address }, { ids }) => {
    expect(ids.length).toBe(1);
    const mail = await received(to);
    expect(mail).toMatchObject({
      subject: 'Raw',
      text: expect.stringContaining('Hi'),
      from: { value: [{ address, name: 'Shop' }] },
    });
    expect(mail.attachments.map(({ filename, content }) => [filename, content.toString('base64')])).toEqual([
      ['invoice.pdf', INVOICE],
    ]);
  },

  batch: async ({ several }, { ids }) => {
    expect(ids.length).toBeGreaterThan(0);
    expect((await Promise.all(several.map(messagesOf))).map(({ length }) => length)).toEqual([1, 1]);
  },

  template: async ({ to }) => {
    expect((await received(to)).html).toContain('Code 991');
  },

  templates: async (_mail, { ids, contents }) => {
    expect(ids.map((id) => id.replace(/^d-/, ''))).toEqual([template]);
    expect(contents).toEqual(['<p>Code {{ code }}</p>']);
  },

  schedule: async ({ to }) => {
    expect((await messagesOf(to)).map(({ status }) => status)).toEqual(['Scheduled']);
  },

  cancel: async ({ to }) => {
    expect((await messagesOf(to)).map(({ status }) => status)).toEqual(['Canceled']);
  },

  contacts: async (_mail, { ids, errors }) => {
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(errors).toMatchObject([{ message: expect.stringContaining('not found') }]);
  },

  errors: async ({ to }, { errors }) => {
    const [stranger, refused] = errors ?? [];
    expect(stranger!.message).toMatch(/api key|authorization grant|forbidden|signature/i);
    expect(refused!.message).toMatch(/is not supported|must be an ISO 8601 time/);
    expect(await messagesOf(to)).toEqual([]);
  },
};

/** The words of the reference by the names in the programs. */
const NAMES: Readonly<Record<string, string>> = {
  'send with an attachment and an inline image': 'files',
  'send again with the same key': 'again',
  'raw with an attachment': 'raw',
  batch: 'batch',
  bulk: 'batch',
  personalizations: 'batch',
  'recipient variables': 'batch',
  template: 'template',
  'dynamic template': 'template',
  'read templates': 'templates',
  schedule: 'schedule',
  'schedule and cancel': 'cancel',
  'segments and contacts': 'contacts',
  errors: 'errors',
};

describe.each(SDK_CALLS.filter(({ language }) => language !== 'Node'))(
  'the SDK of $dialect in $language',
  ({ language, program = '', calls }) => {
    const isHere = language === 'Go' ? go !== undefined : python !== undefined;

    it.skipIf(!isHere).each(calls)('%s', async (words) => {
      const name = NAMES[words]!;
      const mail = newMail();
      const [command, args] =
        language === 'Go' ? [join(folder, 'calls'), []] : [python!, [join(PROGRAMS, 'python/calls.py')]];
      const call = name === 'cancel' ? 'schedule' : name;
      const output = await run(command, [...args, program, call], folder, JSON.stringify(mail));
      await EXPECTED[name]!(mail, JSON.parse(output) as Outcome);
    });
  },
);
