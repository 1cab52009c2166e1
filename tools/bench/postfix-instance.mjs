// Postfix as reference: an instance of its own in a temporary folder, on loopback, relaying to one place.
// Everything that decides about durability and scheduling is Postfix's default.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { freePort, makeFolder, removeFolder, runToEnd, startChild, stopChild } from './children.mjs';
import { waitUntil } from './clock.mjs';
import { firstLine } from './machine.mjs';
import { treeCpuSeconds, treeMib } from './processes.mjs';

const START_LIMIT_MS = 20_000;
const PROGRAMS = ['postfix', 'postconf', 'smtp-source', 'smtp-sink'];

/** @returns why the reference cannot be measured here, undefined when it can */
export function whyNoPostfix() {
  const missing = PROGRAMS.filter((name) => whereIs(name) === undefined);
  if (missing.length > 0) {
    return `Postfix is not installed (${missing.join(', ')} missing); Debian: apt-get install postfix opendkim`;
  }
  return process.getuid?.() === 0 ? undefined : 'Postfix needs root to start; run the bench as root for it';
}

/** Debian keeps them in /usr/sbin, which is not on every user's PATH. */
export function whereIs(name) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export const postfixVersion = () => firstLine(whereIs('postconf'), ['-dh', 'mail_version']);

export class PostfixInstance {
  constructor({ folder, port, child }) {
    this.folder = folder;
    this.port = port;
    this.child = child;
  }

  /** @param about `relayPort` on loopback; `milterPort` of a signer, or undefined */
  static async start({ relayPort, milterPort }) {
    const folder = makeFolder('postfix');
    const port = await freePort();
    const config = join(folder, 'config');
    for (const name of ['config', 'queue', 'data']) mkdirSync(join(folder, name), { mode: 0o755 });
    writeFileSync(join(config, 'main.cf'), mainCf({ folder, relayPort, milterPort }));
    writeFileSync(join(config, 'master.cf'), masterCf(port));
    await runToEnd('chown', ['postfix', join(folder, 'data')]);
    // makes the queue's folders and refuses what cannot work
    await runToEnd(whereIs('postfix'), ['-c', config, 'check']);
    // not `postfix start-fg`: that leaves the master as a grandchild, whose number nobody knows
    const master = join(firstLine(whereIs('postconf'), ['-c', config, '-h', 'daemon_directory']), 'master');
    const child = startChild(master, ['-c', config, '-s'], { env: { ...process.env, MAIL_CONFIG: config } });
    const instance = new PostfixInstance({ folder, port, child });
    const up = await Promise.race([
      waitUntil(() => listens(port), { limitMs: START_LIMIT_MS, everyMs: 50 }),
      child.ended.then(() => false),
    ]);
    if (up) return instance;
    const said = child.output();
    await instance.stop();
    throw new Error(`Postfix did not start: ${said || 'it said nothing'}`);
  }

  /** Its processes end after a hundred messages each: what they used is in the master's account then. */
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

function listens(port) {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const end = (response) => {
      socket.destroy();
      resolve(response);
    };
    // the greeting, not the open port: that one stands before the server behind it does
    socket.once('data', () => end(true)).once('error', () => end(false));
    socket.setTimeout(2_000, () => end(false));
  });
}

function mainCf({ folder, relayPort, milterPort }) {
  const settings = {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    myhostname: 'postfix.bench.test',
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    mynetworks: '127.0.0.0/8',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    relayhost: `[127.0.0.1]:${relayPort}`,
    smtp_dns_support_level: 'disabled',
    smtp_tls_security_level: 'none',
    smtpd_tls_security_level: 'none',
    ...(milterPort === undefined
      ? {}
      : { smtpd_milters: `inet:127.0.0.1:${milterPort}`, milter_default_action: 'tempfail' }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/** Debian's table without what no message of the bench meets, and without chroot. */
function masterCf(port) {
  return `127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
`;
}
