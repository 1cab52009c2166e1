import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realPart } from '@postmesh/testing';
import { CuttingProxy } from './cutting-proxy.js';
import { Installation } from './installation.js';

const run = promisify(execFile);
const ROOT = new URL('../../..', import.meta.url).pathname;
const NODE_SDK = join(ROOT, 'sdks/node');
const PYTHON_SDK = join(ROOT, 'sdks/python');
const GO_SDK = join(ROOT, 'sdks/go');
const python = realPart('SDK_PYTHON', process.env.SDK_PYTHON);
const go = realPart('SDK_GO', process.env.SDK_GO);

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

  /** @returns the first block of code of a language in a README */
  async function quickStart(readme: string, language: string): Promise<string> {
    const block = new RegExp(`\`\`\`${language}\\b[^\n]*\n(.*?)\`\`\``, 's').exec(
      await readFile(readme, 'utf8'),
    );
    return block![1]!;
  }

  it('of Node is a package whose quick start runs as written, by import and by require', async () => {
    const { stdout: packed } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: NODE_SDK,
    });
    const installed = join(folder, 'node_modules/postmesh');
    await mkdir(installed, { recursive: true });
    await run('tar', ['xf', packed.trim(), '--strip-components=1', '-C', installed], { cwd: folder });
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
