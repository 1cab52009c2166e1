import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, realPart } from '@postmesh/testing';
import { CuttingProxy } from './cutting-proxy.js';
import { Installation } from './installation.js';

const run = promisify(execFile);
const ROOT = new URL('../../..', import.meta.url).pathname;
const NODE_SDK = join(ROOT, 'sdks/node');
const PYTHON_SDK = join(ROOT, 'sdks/python');
const GO_SDK = join(ROOT, 'sdks/go');
const python = realPart('SDK_PYTHON', process.env.SDK_PYTHON);
const go = realPart('SDK_GO', process.env.SDK_GO);

const EXAMPLES = join(ROOT, 'sdks/examples');
const SECRET = 'em-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI';
const EVENT = JSON.stringify({
  ...{ type: 'message.delivered', timestamp: '2026-01-01T00:00:00Z' },
  webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
  data: {
    ...{ account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0', event: 'on_delivered', is_bot: false },
    ...{ from: 'news@shop.test', recipient: 'ann@mail.test', subject: 'Your order' },
    ...{ message_id_header: '<1@shop.test>', id: '01980f3e5b7a7c11a2d40c5f9e6b8a01' },
    delivery_attempt: {
      ...{ smtp_code: 250, enhanced_status_code: '2.0.0', response: 'OK queued', command: 'DATA' },
    },
  },
});

/** Header fields of a call (spec 2-messages §18 rule 3). */
function signed(secret: string): Record<string, string> {
  const [id, timestamp] = ['msg_01980f3e5b7a7c11a2d40c5f9e6b8a01', String(Math.floor(Date.now() / 1_000))];
  const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${EVENT}`).digest('base64');
  return {
    'content-type': 'application/json',
    ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` },
  };
}

const SENDS = 10_000;
const WORKERS = 32;
const SHARE_CUT = 0.3;
const RUN_MS = 480_000;

interface Program {
  readonly command: string;
  readonly args: string[];
}

describe('the SDKs', () => {
  let postmesh: Installation;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postmesh-sdks-'));
    postmesh = await Installation.create();
    await postmesh.start();
    await postmesh.verifiedDomain('shop.example.com');
  });
  afterAll(async () => {
    await postmesh?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const execute = ({ command, args }: Program, baseUrl: string, more: Record<string, string> = {}) =>
    run(command, args, {
      cwd: folder,
      maxBuffer: 10_000_000,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        POSTMESH_BASE_URL: baseUrl,
        POSTMESH_API_KEY: postmesh.credentials.api_key,
        POSTMESH_ACCOUNT_ID: postmesh.credentials.account_id,
        PYTHONPATH: join(PYTHON_SDK, 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        ...more,
      },
    });

  /** Every message of a tag, past the SDKs. */
  async function stored(tag: string): Promise<{ subject: string; message_id: string }[]> {
    const messages = [];
    for (let after = ''; ;) {
      const { body } = await postmesh.api('GET', `{A}/messages?tags=${tag}&after=${after}`);
      messages.push(...body.data);
      if (!body.pagination.has_more) return messages;
      after = body.pagination.next_cursor;
    }
  }

  async function sendThroughCuts(tag: string, { command, args }: Program): Promise<void> {
    const proxy = await CuttingProxy.start(postmesh.credentials.base_url, SHARE_CUT);
    try {
      const program = { command, args: [...args, String(SENDS), String(WORKERS), tag] };
      const { stdout } = await execute(program, proxy.url);
      const { ids, seconds } = JSON.parse(stdout) as { ids: string[]; seconds: number };
      const { exchanges, cutCount, cuts, replays } = proxy;
      console.log(tag, {
        sends: ids.length,
        seconds,
        perSecond: ids.length / seconds,
        exchanges,
        cuts,
        replays,
      });
      const messages = await stored(tag);
      expect(messages.length).toBe(SENDS);
      expect(new Set(messages.map(({ subject }) => subject)).size).toBe(SENDS);
      expect(messages.map(({ message_id: id }) => id).toSorted()).toEqual(ids.toSorted());
      // without them this would prove nothing
      expect(cutCount / exchanges).toBeGreaterThan(SHARE_CUT * 0.8);
      expect(replays).toBeGreaterThan(SENDS / 100);
    } finally {
      await proxy.close();
    }
  }

  it(
    'of Node sends each of 10,000 messages once when 30 % of the exchanges are cut',
    () => sendThroughCuts('node', { command: process.execPath, args: [join(NODE_SDK, 'test/sends.mjs')] }),
    RUN_MS,
  );

  it.skipIf(!python)(
    'of Python sends each of 10,000 messages once when 30 % of the exchanges are cut',
    () => sendThroughCuts('python', { command: python!, args: [join(PYTHON_SDK, 'tests/sends.py')] }),
    RUN_MS,
  );

  /** In the folder of a module. @returns the output */
  const runGo = async (cwd: string, ...args: string[]) =>
    (await run(go!, args, { cwd, env: { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' } })).stdout;

  it.skipIf(!go)(
    'of Go sends each of 10,000 messages once when 30 % of the exchanges are cut',
    async () => {
      const command = join(folder, 'sends');
      await runGo(GO_SDK, 'build', '-o', command, './internal/sends');
      await sendThroughCuts('go', { command, args: [] });
    },
    RUN_MS,
  );

  it.skipIf(!go)(
    'of Go passes its own tests',
    async () => {
      await runGo(GO_SDK, 'vet', './...');
      expect(await runGo(GO_SDK, 'test', './...')).toMatch(/^ok /);
    },
    RUN_MS,
  );

  it.skipIf(!python)(
    'of Python passes its own tests',
    async () => {
      const { stderr } = await run(python!, ['-m', 'unittest', 'discover', '-s', 'tests'], {
        cwd: PYTHON_SDK,
        env: { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
      });
      expect(stderr).toMatch(/^Ran [1-9]\d* tests [^]*\nOK\n$/m);
    },
    RUN_MS,
  );

  const mailPrograms: [string, Program | undefined][] = [
    ['Nodemailer', { command: process.execPath, args: [join(NODE_SDK, 'test/mail.mjs')] }],
    [
      'Django',
      python === undefined ? undefined : { command: python, args: [join(PYTHON_SDK, 'tests/mail.py')] },
    ],
  ];
  it.each(mailPrograms.flatMap(([name, program]) => (program ? [{ name, program }] : [])))(
    'carry a mail of $name whole',
    async ({ program }) => {
      const { stdout } = await execute(program, postmesh.credentials.base_url);
      const { status, body } = await postmesh.api('GET', `{A}/messages/${encodeURIComponent(stdout.trim())}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ subject: 'Grüße', recipient: 'ann@mail.test', tags: ['mail'] });
      const { parts, attachments, headers } = body.content_parsed;
      expect(parts.map(({ content }: { content: string }) => content.trim())).toEqual([
        'Hi',
        '<b>Hi</b> <img src="cid:logo">',
      ]);
      expect(attachments).toMatchObject([
        { filename: 'b.png', content: 'AQI=', content_type: 'image/png', content_id: 'logo' },
        { filename: 'a.txt', content: 'dGV4dA==', content_type: 'text/plain', content_id: '' },
      ]);
      expect(headers).toMatchObject({
        'X-Order': ['17'],
        'Reply-To': ['help@shop.example.com'],
        From: [expect.stringContaining('"Shop, Inc" <news@shop.example.com>')],
      });
    },
  );

  /** The package as npm installs it. */
  async function installNodeSdk(): Promise<void> {
    const installed = join(folder, 'node_modules/postmesh');
    if (existsSync(installed)) return;
    const { stdout: packed } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: NODE_SDK,
    });
    await mkdir(installed, { recursive: true });
    await run('tar', ['xf', packed.trim(), '--strip-components=1', '-C', installed], { cwd: folder });
  }

  /** Programs of sdks/examples: each has a path that mails an order, and one that takes a webhook call. */
  const examples: [string, () => Promise<Program & { readonly env?: Record<string, string> }>][] = [
    ['Express', () => nodeExample('express.mjs')],
    ['Fastify', () => nodeExample('fastify.mjs')],
    ['Next.js', () => nextExample()],
    ...(python
      ? ([
          ['Flask', async () => pythonExample('flask --app flask_app run --port')],
          ['Django', () => djangoExample(python)],
        ] satisfies typeof examples)
      : []),
  ];
  it.each(examples)(
    'run as the example for %s: an order is mailed once',
    async (name, prepare) => {
      const { command, args, env } = await prepare();
      const port = await freePort();
      const { base_url, api_key, account_id } = postmesh.credentials;
      const program = spawn(command, [...args, ...(env?.PORT === undefined ? [String(port)] : [])], {
        cwd: folder,
        stdio: 'inherit',
        env: {
          ...{ PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: SECRET },
          ...{ POSTMESH_BASE_URL: base_url, POSTMESH_API_KEY: api_key, POSTMESH_ACCOUNT_ID: account_id },
          ...{ PYTHONPATH: `${join(PYTHON_SDK, 'src')}:${folder}`, PYTHONDONTWRITEBYTECODE: '1' },
          ...(env && { ...env, PORT: String(port) }),
        },
      });
      const url = `http://127.0.0.1:${port}`;
      const number = port;
      try {
        const mail = async () => {
          const isForm = name === 'Django';
          const order = { email: 'ann@mail.test' };
          const answer = await fetch(`${url}/orders/${number}/mail`, {
            method: 'POST',
            ...(isForm
              ? { body: new URLSearchParams(order) }
              : { body: JSON.stringify(order), headers: { 'content-type': 'application/json' } }),
          });
          return { id: ((await answer.json()) as { id: string }).id, status: answer.status };
        };
        await expect
          .poll(
            () =>
              fetch(url).then(
                () => true,
                () => false,
              ),
            { timeout: 60_000 },
          )
          .toBe(true);
        const first = await mail();
        expect(first.status).toBe(202);
        expect(await mail()).toMatchObject({ status: 202, id: first.id });
        const { body: found } = await postmesh.api('GET', `{A}/messages/${encodeURIComponent(first.id)}`);
        expect(found.subject).toBe(`Your order ${number}`);
        const event = (secret: string) =>
          fetch(`${url}/webhooks/postmesh`, { method: 'POST', body: EVENT, headers: signed(secret) });
        expect((await event(SECRET)).status).toBe(204);
        expect((await event(SECRET.replace('A', 'B'))).status).toBe(400);
      } finally {
        program.kill();
        await once(program, 'exit');
      }
    },
    RUN_MS,
  );

  /** An example in the folder, where it finds its packages. */
  async function nodeExample(name: string) {
    await cp(join(EXAMPLES, name), join(folder, name));
    await linkPackages();
    return { command: process.execPath, args: [name], env: { PORT: '' } };
  }

  /** The handlers of routes are functions of requests, which Next.js calls. */
  async function nextExample() {
    for (const name of ['send-route', 'webhook-route'])
      await cp(join(EXAMPLES, `nextjs/${name}.ts`), join(folder, `${name}.ts`));
    await writeFile(
      join(folder, 'next.mjs'),
      `import { serve } from '@hono/node-server';
      import { POST as mail } from './send-route.ts';
      import { POST as webhook } from './webhook-route.ts';
      const fetch = (request) => {
        const { pathname } = new URL(request.url);
        const [, number] = /^\\/orders\\/(\\d+)\\/mail$/.exec(pathname) ?? [];
        if (number) return mail(request, { params: Promise.resolve({ number }) });
        return pathname === '/webhooks/postmesh' ? webhook(request) : new Response(null, { status: 404 });
      };
      serve({ fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });`,
    );
    await linkPackages();
    return { command: process.execPath, args: ['next.mjs'], env: { PORT: '' } };
  }

  async function linkPackages(): Promise<void> {
    await mkdir(join(folder, 'node_modules/@hono'), { recursive: true });
    await installNodeSdk();
    for (const name of ['express', 'fastify', '@hono/node-server']) {
      await rm(join(folder, 'node_modules', name), { force: true });
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
  }

  async function pythonExample(words: string) {
    await cp(join(EXAMPLES, 'flask_app.py'), join(folder, 'flask_app.py'));
    return { command: python!, args: ['-m', ...words.split(' ')] };
  }

  /** With the rest of a project around its two files. */
  async function djangoExample(command: string) {
    await cp(join(EXAMPLES, 'django/settings.py'), join(folder, 'example_settings.py'));
    await cp(join(EXAMPLES, 'django/views.py'), join(folder, 'views.py'));
    await writeFile(
      join(folder, 'site_settings.py'),
      `from example_settings import *\nROOT_URLCONF = "urls"\nSECRET_KEY = "x"\nALLOWED_HOSTS = ["*"]\n`,
    );
    await writeFile(
      join(folder, 'urls.py'),
      `from django.urls import path\nimport views\nurlpatterns = [path("orders/<int:number>/mail", views.mail_order), path("webhooks/postmesh", views.postmesh_event)]\n`,
    );
    const args = ['-m', 'django', 'runserver', '--settings', 'site_settings', '--noreload'];
    return { command, args };
  }

  /** @returns the first block of code of a language in a README */
  async function quickStart(readme: string, language: string): Promise<string> {
    const block = new RegExp(`\`\`\`${language}\\b[^\n]*\n(.*?)\`\`\``, 's').exec(
      await readFile(readme, 'utf8'),
    );
    return block![1]!;
  }

  it('of Node is a package whose quick start runs as written, by import and by require', async () => {
    await installNodeSdk();
    const code = await quickStart(join(NODE_SDK, 'README.md'), 'js');
    await writeFile(join(folder, 'quick-start.mjs'), code);
    const { base_url: baseUrl } = postmesh.credentials;
    const sent = await execute({ command: process.execPath, args: ['quick-start.mjs'] }, baseUrl);
    expect(sent.stdout).toMatch(/^<\S+@shop\.example\.com> queued\n$/);
    const requires = "const { Postmesh } = require('postmesh'); new Postmesh().ping().then(console.log)";
    const ping = await execute({ command: process.execPath, args: ['-e', requires] }, baseUrl);
    expect(ping.stdout).toContain('pong');
  });

  it.skipIf(!python)('of Python is a package whose quick start runs as written', async () => {
    const packages = join(folder, 'packages');
    await run(python!, ['-m', 'pip', 'install', '-q', '--no-deps', '--target', packages, PYTHON_SDK]);
    await writeFile(
      join(folder, 'quick_start.py'),
      await quickStart(join(PYTHON_SDK, 'README.md'), 'python'),
    );
    const program = { command: python!, args: ['quick_start.py'] };
    const sent = await execute(program, postmesh.credentials.base_url, { PYTHONPATH: packages });
    expect(sent.stdout).toMatch(/^<\S+@shop\.example\.com> queued\n$/);
  });

  it.skipIf(!go)(
    'of Go is a module whose quick start runs as written',
    async () => {
      const program = join(folder, 'quick-start');
      await mkdir(program);
      await writeFile(join(program, 'main.go'), await quickStart(join(GO_SDK, 'README.md'), 'go'));
      const module = /^module (.*)$/m.exec(await readFile(join(GO_SDK, 'go.mod'), 'utf8'))![1]!;
      await runGo(program, 'mod', 'init', 'quick-start');
      await runGo(program, 'mod', 'edit', '-require', `${module}@v0.0.0`, '-replace', `${module}=${GO_SDK}`);
      await runGo(program, 'build', '-o', 'start', '.');
      const { base_url: baseUrl } = postmesh.credentials;
      const sent = await execute({ command: join(program, 'start'), args: [] }, baseUrl);
      expect(sent.stdout).toMatch(/^<\S+@shop\.example\.com> queued\n$/);
    },
    RUN_MS,
  );
});
