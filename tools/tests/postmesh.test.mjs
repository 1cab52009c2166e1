import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { OperatorServer } from '../../libs/operator/dist/index.js';
import { COMMANDS } from '../operator-cli/commands.mjs';
import { runCommand } from '../postmesh.mjs';

const root = join(import.meta.dirname, '../..');
const TOKEN = 'pm-op-0123456789012345678901234567890123456789';
const seen = [];
let server;
let dataDir;
let healthy = true;

before(async () => {
  server = new OperatorServer({ host: '127.0.0.1', port: 0, token: TOKEN, logger: console });
  const answers = {
    'operator/doctor': () => ({
      ok: healthy,
      checks: [{ check: 'gateway is ready', ok: healthy, detail: 'so' }],
    }),
    'operator/dead-letters': () => ({
      dead_letters: [
        {
          died_at: '2026-01-05T08:00:00.000Z',
          id: 'e-1',
          pattern: 'x.v1',
          kind: 'Bug',
          reason: 'bad\u001b[31m\nred',
        },
      ],
    }),
    'operator/dead-letters/replay': () => ({ replayed: 2 }),
    'operator/jobs': () => ({
      queues: { 'domains.recheck': { waiting: 0, active: 1, delayed: 2, failed: 3 } },
    }),
    'operator/delivery-worker': () => ({
      deliveries: 0,
      under_way: 0,
      due: 0,
      next_due_at: null,
      destinations: [],
      waiting: [],
    }),
  };
  for (const [prefix, answer] of Object.entries(answers)) {
    server.route('*', prefix, async (request) => {
      seen.push({ ...request, query: Object.fromEntries(request.query) });
      return { body: answer() };
    });
  }
  const port = await server.listen();
  dataDir = mkdtempSync(join(tmpdir(), 'postmesh-cli-'));
  writeFileSync(
    join(dataDir, 'credentials.json'),
    JSON.stringify({ operator_url: `http://127.0.0.1:${port}`, operator_token: TOKEN }),
  );
});
after(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const run = (words, env = {}) => runCommand(words.split(' '), { POSTMESH_DATA_DIR: dataDir, ...env });

describe('npx postmesh', () => {
  it('shows what the doctor says, and fails when something is not well', async () => {
    assert.deepEqual(await run('doctor'), {
      text: 'ok   check             detail\nyes  gateway is ready  so',
      code: 0,
    });
    healthy = false;
    assert.equal((await run('doctor')).code, 1);
    healthy = true;
  });

  it('shows dead letters without letting their text steer the terminal', async () => {
    const { text } = await run('dead-letters messages webhooks');
    assert.match(text, /e-1 +x\.v1 +Bug +bad \[31m red$/);
    assert.deepEqual(seen.at(-1).query, { stream: 'messages', group: 'webhooks' });
  });

  it('replays all dead letters, or those that are named', async () => {
    assert.match((await run('replay messages webhooks')).text, /replayed\n2/);
    assert.deepEqual(seen.at(-1).body, { stream: 'messages', group: 'webhooks' });
    await run('replay messages webhooks e-1 e-2');
    assert.deepEqual(seen.at(-1).body, { stream: 'messages', group: 'webhooks', ids: ['e-1', 'e-2'] });
  });

  it('shows maps as tables and leaves out lists that are empty', async () => {
    assert.match((await run('jobs')).text, /^name +waiting.*\ndomains\.recheck +0 +1 +2 +3$/);
    assert.equal(
      (await run('queue')).text,
      'deliveries  under_way  due  next_due_at\n0           0          0    -',
    );
  });

  it('prints the answer itself with --json', async () => {
    assert.deepEqual(JSON.parse((await run('doctor --json')).text).ok, true);
  });

  it('asks for anything by path', async () => {
    await run('put /operator/delivery-worker/thing/x {"a":1}');
    assert.deepEqual([seen.at(-1).method, seen.at(-1).rest, seen.at(-1).body], ['PUT', 'thing/x', { a: 1 }]);
  });

  const troubles = [
    ['an unknown command', 'nonsense', {}, /no command nonsense/],
    ['a command called like a property of every object', 'constructor', {}, /no command constructor/],
    ['a missing word', 'dead-letters messages', {}, /usage: npx postmesh dead-letters <stream> <group>/],
    ['a wrong path', 'get /operator/nope', {}, /GET \/operator\/nope: 404 not found/],
    ['a wrong token', 'lag', { POSTMESH_OPERATOR_TOKEN: 'x' }, /401 missing or wrong operator token/],
    [
      'nobody there',
      'lag',
      { POSTMESH_OPERATOR_URL: 'http://127.0.0.1:1' },
      /no answer from http:\/\/127.0.0.1:1/,
    ],
    [
      'no credentials',
      'lag',
      { POSTMESH_DATA_DIR: join(tmpdir(), 'no-such') },
      /does not exist: start Postmesh first/,
    ],
    ['JSON that is none', 'post /operator/jobs {a', {}, /this is no JSON/],
  ];
  for (const [what, words, env, expected] of troubles) {
    it(`names ${what}`, () => assert.rejects(run(words, env), expected));
  }

  it('explains every command', async () => {
    const { text } = await runCommand([], {});
    for (const name of Object.keys(COMMANDS)) assert.match(text, new RegExp(`^  ${name} `, 'm'));
  });

  it('is a program of this package', () => {
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.match(
      execFileSync(join(root, bin.postmesh), ['help'], { encoding: 'utf8' }),
      /^npx postmesh <command>/,
    );
  });
});
