// @ts-check
// (c) Postfix as reference, an instance of its own in a temporary folder: smtp-source → Postfix → smtp-sink, with
// opendkim as signer, so that both systems make an RSA-2048 signature per message. All settings of durability and
// scheduling are Postfix's defaults. Haraka in its place, between the same two programs.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { perThousand, round } from './figures.rules.mjs';
import { Haraka, HARAKA_VERSION } from './haraka.mjs';
import { freePort } from '../tools/free-port.mjs';
import {
  firstLine,
  makeFolder,
  nowMicros,
  processTree,
  removeFolder,
  runToEnd,
  sleep,
  startChild,
  stopChild,
  treeCpuSeconds,
  treeMib,
  waitUntil,
} from '../tools/processes.mjs';
import { DOMAIN } from './stack.mjs';

const WARM_UP_MESSAGES = 500;
const LIMIT_MS = 180_000;

/** @typedef {{ name: string, server: 'postfix' | 'haraka', signed: boolean }} Reference Postfix signs with opendkim as milter */

/** @type {Record<'unsigned' | 'signed' | 'haraka', Reference>} */
export const REFERENCES = {
  unsigned: { name: 'Postfix, unsigned', server: 'postfix', signed: false },
  signed: { name: 'Postfix, signed by opendkim', server: 'postfix', signed: true },
  haraka: { name: `Haraka ${HARAKA_VERSION}, signed`, server: 'haraka', signed: true },
};

/** @param {Reference} reference @returns {string | undefined} the reason why it cannot be measured here, undefined when it can */
export function whyNotMeasured({ server, signed }) {
  // Haraka has no programs that send and count: it is measured between those of Postfix
  return whyNoPostfix() ?? (signed && server === 'postfix' ? whyNoSigner() : undefined);
}

/**
 * @param {Reference} reference
 * @param {import('./options.mjs').Context} context
 * @returns {Promise<Record<string, any>>} figures
 */
export async function measureReference(reference, context) {
  const running = await RunningReference.start(reference, context);
  try {
    return await running.measure(context.options.messages);
  } finally {
    await running.stop();
  }
}

/** A warm instance, with a signer for signed messages. */
export class RunningReference {
  /**
   * @param {string} name
   * @param {{ relayPort: number, signed: boolean, signer: OpenDkim | undefined, options: any, server: any }} parts
   */
  constructor(name, parts) {
    this.name = name;
    this.parts = parts;
  }

  /** @param {Reference} reference @param {import('./options.mjs').Context} context */
  static async start({ name, server, signed }, { options }) {
    const relayPort = await freePort();
    const isPostfix = server === 'postfix';
    const signer = signed && isPostfix ? await OpenDkim.start({ domain: DOMAIN }) : undefined;
    const running = new RunningReference(name, { relayPort, signed, signer, options, server: undefined });
    try {
      running.parts.server = isPostfix
        ? await PostfixInstance.start({ relayPort, milterPort: signer?.port })
        : await Haraka.start({ relayPort, domain: DOMAIN, answers: listens });
      await proveOneMessage(running.parts);
      await relay(WARM_UP_MESSAGES, running.parts);
      return running;
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  /** @param {number} messages */
  async measure(messages) {
    const { parts } = this;
    const before = cpuOf(parts);
    const { micros, memory } = await relay(messages, parts);
    const after = cpuOf(parts);
    return {
      name: this.name,
      messages,
      seconds: round(micros / 1e6, 2),
      messages_per_second: round(messages / (micros / 1e6)),
      cpu_seconds_per_1000: {
        server: perThousand(after.server - before.server, messages),
        ...(parts.signer ? { opendkim: perThousand(after.opendkim - before.opendkim, messages) } : {}),
      },
      memory_mib: memory,
    };
  }

  /** For `freeze`. @returns {import('./frozen.mjs').Group[]} */
  groups() {
    return [() => this.parts.server?.processes() ?? [], () => this.parts.signer?.processes() ?? []];
  }

  async stop() {
    await this.parts.server?.stop();
    await this.parts.signer?.stop();
  }
}

const cpuOf = ({ server, signer }) => ({ server: server.cpuSeconds(), opendkim: signer?.cpuSeconds() });

/** From the start of smtp-source until smtp-sink has as many messages as were sent and ends. */
async function relay(messages, { relayPort, server, signer, options }) {
  const sink = startSink(relayPort, ['-M', String(messages)]);
  /** @type {number | null} */
  let memory = null;
  const look = setInterval(() => (memory = Math.max(memory ?? 0, memoryOf({ server, signer }))), 2_000);
  try {
    await sinkListens(sink);
    const begin = nowMicros();
    /** @type {number | undefined} */
    let end;
    void sink.ended.then(() => (end = nowMicros()));
    await send(messages, { port: server.port, options });
    await waitUntil(() => end !== undefined, { limitMs: LIMIT_MS, everyMs: 10 });
    if (end === undefined)
      throw new Error(`the reference did not deliver ${messages} messages in ${LIMIT_MS / 1000} s`);
    memory ??= memoryOf({ server, signer });
    return { micros: end - begin, memory };
  } finally {
    clearInterval(look);
    await stopChild(sink);
  }
}

const memoryOf = ({ server, signer }) => round((server.memoryMib() ?? 0) + (signer?.memoryMib() ?? 0), 1);

/** `-d`: sessions stay open, like the API's connections. `-N`: no two equal recipients. */
function send(messages, { port, options }) {
  const sessions = String(Math.min(options.connections, messages));
  const args = ['-d', '-N', '-s', sessions, '-m', String(messages), '-l', String(options.bodyBytes)];
  const ends = ['-f', `sender@${DOMAIN}`, '-t', 'u@r00.test', `inet:127.0.0.1:${port}`];
  return runToEnd(program('smtp-source'), [...args, ...ends], { limitMs: LIMIT_MS });
}

/** smtp-sink drops root's rights, but listens before. */
function startSink(port, args) {
  return startChild(program('smtp-sink'), ['-u', 'nobody', ...args, `inet:127.0.0.1:${port}`, '512']);
}

async function sinkListens(sink) {
  // a probe connection would be counted as a session; /proc lists the socket once it listens
  const listens = () =>
    readFileSync('/proc/net/tcp', 'utf8').includes(`0100007F:${hexPort(sink)} 00000000:0000 0A`);
  const up = await Promise.race([
    waitUntil(listens, { limitMs: 5_000, everyMs: 5 }),
    sink.ended.then(() => false),
  ]);
  if (!up) throw new Error(`smtp-sink does not listen: ${sink.output()}`);
}

const hexPort = ({ spawnargs }) =>
  Number(/:(\d+)$/.exec(spawnargs.at(-2))?.[1])
    .toString(16)
    .toUpperCase()
    .padStart(4, '0');

/** Checks by one message on disk that delivery works, and that it has a signature when one is wanted. */
async function proveOneMessage({ relayPort, server, signed, options }) {
  const folder = makeFolder('proof');
  const sink = startSink(relayPort, ['-d', join(folder, 'message.'), '-M', '1']);
  try {
    await runToEnd('chmod', ['777', folder]);
    await sinkListens(sink);
    await send(1, { port: server.port, options });
    await waitUntil(() => sink.exitCode !== null, { limitMs: 20_000 });
    const [file] = readdirSync(folder);
    if (file === undefined) throw new Error('the reference did not deliver the first message within 20 s');
    const isSigned = /^DKIM-Signature:/im.test(readFileSync(join(folder, file), 'latin1'));
    if (isSigned !== signed) throw new Error(`a message came ${isSigned ? 'signed' : 'unsigned'}`);
  } finally {
    await stopChild(sink);
    removeFolder(folder);
  }
}

const START_LIMIT_MS = 20_000;
const PROGRAMS = ['postfix', 'postconf', 'smtp-source', 'smtp-sink'];

/** @returns {string | undefined} the reason why the reference cannot be measured here, undefined when it can */
export function whyNoPostfix() {
  const missing = PROGRAMS.filter((name) => whereIs(name) === undefined);
  if (missing.length > 0) {
    return `Postfix is not installed (${missing.join(', ')} missing); Debian: apt-get install postfix opendkim`;
  }
  return process.getuid?.() === 0 ? undefined : 'Postfix needs root to start; run the bench as root for it';
}

/** Debian keeps them in /usr/sbin, which is not on every user's PATH. @param {string} name @returns {string | undefined} */
function whereIs(name) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** @returns {{ postfix: string | null, opendkim: string | null, haraka: string }} */
export function referenceVersions() {
  const opendkim = whereIs('opendkim');
  const said = opendkim === undefined ? '' : (firstLine(opendkim, ['-V']) ?? '');
  return {
    postfix: firstLine(program('postconf'), ['-dh', 'mail_version']),
    opendkim: /v([\d.]+)/.exec(said)?.[1] ?? null,
    haraka: HARAKA_VERSION,
  };
}

/** Path of a program that `whyNoPostfix` and `whyNoSigner` have found. @param {string} name */
const program = (name) => whereIs(name) ?? name;

class PostfixInstance {
  processes() {
    return processTree(this.child.pid);
  }

  constructor({ folder, port, child }) {
    this.folder = folder;
    this.port = port;
    this.child = child;
  }

  /**
   * @param {{ relayPort?: number, milterPort?: number, settings?: Record<string, string> }} about both on loopback;
   *   without a signer no milter
   */
  static async start({ relayPort = 1, milterPort, settings = {} }) {
    const folder = makeFolder('postfix');
    const port = await freePort();
    const config = join(folder, 'config');
    for (const name of ['config', 'queue', 'data']) mkdirSync(join(folder, name), { mode: 0o755 });
    writeFileSync(join(config, 'main.cf'), mainCf({ folder, relayPort, milterPort, settings }));
    writeFileSync(join(config, 'master.cf'), masterCf(port));
    await runToEnd('chown', ['postfix', join(folder, 'data')]);
    // makes the queue's folders and refuses an invalid configuration
    await runToEnd(program('postfix'), ['-c', config, 'check']);
    // not `postfix start-fg`: that leaves the master as a grandchild with an unknown pid
    const master = join(
      firstLine(program('postconf'), ['-c', config, '-h', 'daemon_directory']) ?? '',
      'master',
    );
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

  /** Its processes end after a hundred messages each: their usage is then counted in the master's. */
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

/** An instance that signs what another program submits, and sends it to a host of the bench. */
export class SigningRelay {
  constructor({ signer, postfix }) {
    this.signer = signer;
    this.postfix = postfix;
    this.port = postfix.port;
  }

  /** @param {{ relayPort: number }} about the host's, on loopback */
  static async start({ relayPort }) {
    const signer = await OpenDkim.start({ domain: DOMAIN });
    try {
      return new SigningRelay({
        signer,
        postfix: await PostfixInstance.start({ relayPort, milterPort: signer.port }),
      });
    } catch (error) {
      await signer.stop();
      throw error;
    }
  }

  /** @returns CPU seconds so far */
  cpu() {
    return { postfix: this.postfix.cpuSeconds(), opendkim: this.signer.cpuSeconds() };
  }

  async stop() {
    await this.postfix.stop();
    await this.signer.stop();
  }
}

/** An instance that accepts mail under TLS and holds it. */
export const SubmissionPostfix = {
  /** @param {{ key: string, cert: string }} files */
  start: ({ key, cert }) =>
    PostfixInstance.start({
      settings: {
        smtpd_tls_security_level: 'encrypt',
        smtpd_tls_key_file: key,
        smtpd_tls_cert_file: cert,
        smtpd_sender_restrictions: 'static:HOLD',
      },
    }),
};

function listens(port) {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const end = (response) => {
      socket.destroy();
      resolve(response);
    };
    // the greeting, not the open port: the master opens the port before the server runs
    socket.once('data', () => end(true)).once('error', () => end(false));
    socket.setTimeout(2_000, () => end(false));
  });
}

function mainCf({ folder, relayPort, milterPort, settings: more }) {
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
    ...more,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/** Debian's table without services that the bench does not use, and without chroot. */
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
tlsmgr unix - - n 1000? 1 tlsmgr
`;
}

// It refuses keys and settings below a folder that all may write to, such as the temporary one.
const SAFE_PARENT = '/run';
// It prints nothing when it listens; Postfix retries a milter that is not ready yet.
const START_MS = 500;

/** @returns {string | undefined} the reason why messages cannot be signed, undefined when they can */
export const whyNoSigner = () =>
  whereIs('opendkim') === undefined
    ? 'opendkim is not installed; Debian: apt-get install opendkim'
    : undefined;

class OpenDkim {
  processes() {
    return processTree(this.child.pid);
  }

  constructor({ folder, port, child }) {
    this.folder = folder;
    this.port = port;
    this.child = child;
  }

  static async start({ domain }) {
    const folder = makeFolder('opendkim', SAFE_PARENT);
    const port = await freePort();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = join(folder, 'key.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    const config = join(folder, 'opendkim.conf');
    writeFileSync(config, configuration({ domain, key, port }));
    const child = startChild(program('opendkim'), ['-f', '-x', config]);
    const early = await Promise.race([child.ended, sleep(START_MS)]);
    const signer = new OpenDkim({ folder, port, child });
    if (early === undefined) return signer;
    const said = child.output();
    await signer.stop();
    throw new Error(`opendkim did not start: ${said || 'it said nothing'}`);
  }

  cpuSeconds() {
    return treeCpuSeconds(this.child.pid);
  }

  memoryMib() {
    return treeMib(this.child.pid);
  }

  async stop() {
    await stopChild(this.child, { graceMs: 5_000 });
    removeFolder(this.folder);
  }
}

/** Canonicalization like Postmesh's; otherwise the defaults. */
function configuration({ domain, key, port }) {
  return `Mode s
Domain ${domain}
Selector bench
KeyFile ${key}
Socket inet:${port}@127.0.0.1
Canonicalization relaxed/relaxed
SignatureAlgorithm rsa-sha256
Syslog no
`;
}
