// @ts-check
// Haraka as reference, installed from npm: an instance of its own in a temporary folder, one process per processor. Its
// plugins relay and dkim are part of it; one of ours names the next host. All else is its default, such as the queue on
// disk that it syncs before its 250.
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../tools/free-port.mjs';
import {
  makeFolder,
  processTree,
  removeFolder,
  runToEnd,
  startChild,
  stopChild,
  treeCpuSeconds,
  treeMib,
  waitUntil,
} from '../tools/processes.mjs';

export const HARAKA_VERSION = '3.3.4';
const INSTALL_LIMIT_MS = 600_000;
const START_LIMIT_MS = 60_000;

/** Once; the next runs on this machine find it below TMPDIR. @returns {Promise<string>} its program */
async function install() {
  const cache = join(tmpdir(), `postmesh-bench-haraka-${HARAKA_VERSION}`);
  const program = join(cache, 'node_modules', 'haraka', 'bin', 'haraka');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const args = ['install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund'];
  await runToEnd('npm', [...args, `haraka@${HARAKA_VERSION}`], { limitMs: INSTALL_LIMIT_MS });
  return program;
}

export class Haraka {
  constructor({ folder, port, child }) {
    this.folder = folder;
    this.port = port;
    this.child = child;
  }

  /**
   * @param {{ relayPort: number, domain: string, answers: (port: number) => Promise<unknown> }} about
   *   `relayPort`: of the next host, on loopback; `answers`: whether a server greets there
   * @throws Error with the reason when it cannot be installed or does not start
   */
  static async start({ relayPort, domain, answers }) {
    const program = await install();
    const folder = makeFolder('haraka');
    const port = await freePort();
    for (const [name, text] of Object.entries(files({ port, relayPort, domain }))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    mkdirSync(join(folder, 'queue'));
    const connections = join('config', 'connection.ini');
    copyFileSync(join(dirname(program), '..', connections), join(folder, connections));
    const child = startChild(process.execPath, [program, '--configs', folder], { cwd: folder });
    const haraka = new Haraka({ folder, port, child });
    const up = await Promise.race([
      waitUntil(() => answers(port), { limitMs: START_LIMIT_MS, everyMs: 100 }),
      child.ended.then(() => false),
    ]);
    if (up) return haraka;
    const said = child.output();
    await haraka.stop();
    throw new Error(`Haraka did not start: ${said || 'it said nothing'}`);
  }

  processes() {
    return processTree(this.child.pid);
  }

  cpuSeconds() {
    return treeCpuSeconds(this.child.pid);
  }

  memoryMib() {
    return treeMib(this.child.pid);
  }

  async stop() {
    await stopChild(this.child, { graceMs: 10_000 });
    removeFolder(this.folder);
  }
}

/** Canonicalization like Postmesh's. @param {{ port: number, relayPort: number, domain: string }} about */
function files({ port, relayPort, domain }) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    'package.json': '{ "name": "bench-haraka", "private": true }\n',
    'config/me': 'haraka.bench.test\n',
    'config/smtp.ini': `listen=127.0.0.1:${port}\nnodes=cpus\n`,
    'config/plugins': 'relay\ndkim\nnext_host\n',
    'config/loglevel': 'WARN\n',
    'config/relay.ini': '[relay]\nacl=true\n',
    'config/relay_acl_allow': '127.0.0.1/32\n',
    // mail to this machine is refused otherwise
    'config/outbound.ini': 'local_mx_ok=true\nenable_tls=false\n',
    'config/tls.ini': '',
    'config/dkim.ini': `[sign]
enabled = true
selector = bench
domain = ${domain}
[canon]
body = relaxed
[verify]
enabled = false
`,
    [`config/dkim/${domain}/private`]: privateKey.export({ type: 'pkcs1', format: 'pem' }),
    [`config/dkim/${domain}/selector`]: 'bench\n',
    'plugins/next_host.js': `exports.hook_get_mx = (next) => next(OK, { priority: 0, exchange: '127.0.0.1', port: ${relayPort} });\n`,
  };
}
