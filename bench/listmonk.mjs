// @ts-check
// (n) listmonk as reference for campaigns: built from its public Go module, on a database of its own of the server that
// Postmesh has. It hands its mail to one SMTP server, here the sink, or a Postfix that signs it, as one would run it; it
// signs nothing itself and looks up no MX.
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { perThousand, round } from './figures.rules.mjs';
import { freePort } from '../tools/free-port.mjs';
import {
  cpuSeconds,
  firstLine,
  makeFolder,
  nowMicros,
  removeFolder,
  residentMib,
  runToEnd,
  startChild,
  stopChild,
  treeCpuSeconds,
  waitUntil,
} from '../tools/processes.mjs';

// The last version that the Go module proxies have: later ones carry no module path of their own version.
const MODULE = 'github.com/knadh/listmonk';
const VERSION = 'v1.1.0';
const BUILD_LIMIT_MS = 900_000;
const START_LIMIT_MS = 60_000;
const SEND_LIMIT_MS = 900_000;
const QUIET_MS = 60_000;
/** as many as Postmesh opens to one host, and no rate limit: its default is 100 a second */
const CONNECTIONS = 20;
const UNLIMITED = 1_000_000;

/** @returns {string | undefined} the `go` that can build it */
const findGo = () =>
  ['go', '/usr/local/go/bin/go'].find((program) => firstLine(program, ['version']) !== null);

/**
 * Builds it once; the next runs on this machine find it below TMPDIR.
 * @returns {Promise<{ program: string, files: string }>} `files`: read from its working directory
 * @throws Error with the reason when it cannot be built
 */
async function build() {
  const cache = join(tmpdir(), `postmesh-bench-listmonk-${VERSION}`);
  const [program, files] = [join(cache, 'listmonk'), join(cache, 'files')];
  if (existsSync(program)) return { program, files };
  const go = findGo();
  if (go === undefined) throw new Error('go is not installed, and listmonk is built from its Go module');
  mkdirSync(files, { recursive: true });
  const modules = join(cache, 'modules');
  const env = {
    ...process.env,
    GOMODCACHE: modules,
    GOCACHE: join(cache, 'objects'),
    GOFLAGS: '-modcacherw',
  };
  const limits = { env, limitMs: BUILD_LIMIT_MS };
  // outside a module: `go mod download` then needs no go.mod
  await runToEnd(go, ['mod', 'download', `${MODULE}@${VERSION}`], { ...limits, cwd: files });
  cpSync(join(modules, `${MODULE}@${VERSION}`), files, { recursive: true });
  // its web interface is built separately; the files that it needs at its start suffice
  mkdirSync(join(files, 'frontend', 'dist', 'frontend'), { recursive: true });
  writeFileSync(join(files, 'frontend', 'dist', 'favicon.png'), '');
  writeFileSync(join(files, 'frontend', 'dist', 'frontend', 'index.html'), '');
  await runToEnd(go, ['build', '-o', program, './cmd'], { ...limits, cwd: files });
  return { program, files };
}

/**
 * A campaign to as many recipients as Postmesh had, from its start until the sink has the last.
 * @param {import('./stack.mjs').Parts} parts
 * @param {{ recipients: number, html: string, relay?: import('./postfix.mjs').SigningRelay }} about
 *   `relay`: on its way to the sink
 * @returns {Promise<Record<string, any>>} figures
 * @throws Error with the reason when it fails
 */
export async function measureListmonk({ stack, sink }, { recipients, html, relay }) {
  const built = await build();
  const instance = await Listmonk.start(built, { stack, sinkPort: relay?.port ?? sink.port });
  try {
    const campaign = await instance.fill(recipients, html);
    await sink.reset();
    const cpu = () => ({
      listmonk: cpuSeconds(instance.child.pid),
      postgres: treeCpuSeconds(stack.postmaster),
      ...relay?.cpu(),
    });
    const before = cpu();
    const began = nowMicros();
    await instance.call('PUT', `/api/campaigns/${campaign}/status`, { status: 'running' });
    const counts = await sink.waitFor(recipients, { limitMs: SEND_LIMIT_MS, quietMs: QUIET_MS });
    const after = cpu();
    if (counts.messages < recipients) {
      throw new Error(`${counts.messages} of ${recipients} arrived; it said: ${instance.child.output()}`);
    }
    const seconds = (counts.last - began) / 1e6;
    return {
      name: `listmonk ${VERSION}, ${nameOf(relay, counts)}`,
      recipients,
      first_after_s: round((counts.first - began) / 1e6, 2),
      seconds: round(seconds, 2),
      recipients_per_second: round(recipients / seconds),
      duplicates: counts.messages - recipients,
      cpu_seconds_per_1000: Object.fromEntries(
        Object.entries(after).map(([part, seconds]) => [
          part,
          perThousand((seconds ?? 0) - (before[part] ?? 0), recipients),
        ]),
      ),
      memory_mib: residentMib(instance.child.pid),
    };
  } finally {
    await instance.stop();
  }
}

const nameOf = (relay, { signed, messages }) => {
  if (relay === undefined) return 'unsigned';
  return `then Postfix, ${signed === messages ? 'signed' : 'NOT ALL SIGNED'}`;
};

class Listmonk {
  constructor({ folder, port, child, database }) {
    this.folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    this.child = child;
    this.database = database;
  }

  static async start({ program, files }, { stack, sinkPort }) {
    const folder = makeFolder('listmonk');
    const port = await freePort();
    const database = await stack.askDatabase(async (client) => {
      await client.query('drop database if exists listmonk');
      await client.query('create database listmonk');
      const { host, port: databasePort, user, password } = client;
      return { host, port: databasePort, user, password, database: 'listmonk' };
    });
    const config = join(folder, 'config.toml');
    writeFileSync(config, settings(port, database), { mode: 0o600 });
    await runToEnd(program, ['--config', config, '--install', '--yes'], {
      cwd: files,
      limitMs: START_LIMIT_MS,
    });
    await ask(database, (client) => client.query(SETTINGS, [JSON.stringify(smtp(sinkPort))]));
    const child = startChild(program, ['--config', config], { cwd: files });
    const instance = new Listmonk({ folder, port, child, database });
    const up = await Promise.race([
      waitUntil(() => instance.isUp(), { limitMs: START_LIMIT_MS, everyMs: 100 }),
      child.ended.then(() => false),
    ]);
    if (up) return instance;
    const said = child.output();
    await instance.stop();
    throw new Error(`listmonk did not start: ${said || 'it said nothing'}`);
  }

  isUp() {
    return request(`${this.url}/api/health`).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode === 200;
      },
      () => false,
    );
  }

  /** @returns {Promise<number>} the campaign, not yet started */
  async fill(recipients, html) {
    await ask(this.database, async (client) => {
      await client.query('truncate subscribers, lists, subscriber_lists, campaigns restart identity cascade');
      await client.query(
        `insert into lists (uuid, name, type) values (gen_random_uuid(), 'Bench', 'private')`,
      );
      await client.query(
        `insert into subscribers (uuid, email, name)
         select gen_random_uuid(), 'person' || n || '@r00.test', 'Pat ' || n from generate_series(1, $1::int) as n`,
        [recipients],
      );
      await client.query(`insert into subscriber_lists (subscriber_id, list_id, status)
        select id, 1, 'confirmed' from subscribers`);
      await client.query('analyze');
    });
    const made = await this.call('POST', '/api/campaigns', {
      name: 'Bench',
      subject: 'News for you',
      lists: [1],
      from_email: 'Bench <sender@bench.test>',
      type: 'regular',
      content_type: 'html',
      messenger: 'email',
      body: html,
      template_id: 1,
    });
    return made.data.id;
  }

  async call(method, path, body) {
    const { statusCode, body: response } = await request(`${this.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (statusCode !== 200) throw new Error(`listmonk, ${path}: ${statusCode} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  async stop() {
    await stopChild(this.child, { graceMs: 10_000 });
    removeFolder(this.folder);
  }
}

async function ask(database, work) {
  const client = new pg.Client(database);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const SETTINGS = `
  update settings set value = case key
      when 'smtp' then $1::jsonb
      when 'app.concurrency' then '${CONNECTIONS}'
      when 'app.message_rate' then '${UNLIMITED}'
      else 'false' end
    where key in ('smtp', 'app.concurrency', 'app.message_rate', 'app.check_updates')`;

const smtp = (port) => [
  {
    enabled: true,
    host: '127.0.0.1',
    port,
    auth_protocol: 'none',
    username: '',
    password: '',
    hello_hostname: '',
    max_conns: CONNECTIONS,
    idle_timeout: '15s',
    wait_timeout: '5s',
    max_msg_retries: 2,
    tls_enabled: false,
    tls_skip_verify: false,
    email_headers: [],
  },
];

/** Only the bench can reach it: no password for its API. */
const settings = (port, { host, port: databasePort, user, password, database }) => `
[app]
address = "127.0.0.1:${port}"
admin_username = ""
admin_password = ""
[db]
host = "${host}"
port = ${databasePort}
user = "${user}"
password = "${password}"
database = "${database}"
ssl_mode = "disable"
max_open = 25
max_idle = 25
max_lifetime = "300s"
`;
