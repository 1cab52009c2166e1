import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { realPart, realProgram } from '../real-part.js';

const run = promisify(execFile);

export interface ForeignMailHostOptions {
  /** a loopback address of its own, so that it can have the port that all mail hosts of a test have */
  address: string;
  port: number;
  /** its name, in the greeting */
  host: string;
  /** takes mail for every address of these */
  domains: readonly string[];
  /** PEM; offered at STARTTLS and demanded */
  tls: { key: string; cert: string };
  /** mail for some domains is taken and passed on, and what is rejected there bounces */
  relay?: ForeignRelay;
}

/** A mail host that relays: it learns of a bad recipient after it has accepted the message. */
interface ForeignRelay {
  domains: readonly string[];
  /** on loopback: the next host of those domains */
  nextPort: number;
  /** on loopback: where its bounces go, whatever their domain */
  bouncesPort: number;
}

/** A mail host that is not ours, which keeps what it takes. */
export interface ForeignMailHost {
  /** the messages that it delivered, head and body, as it stored them */
  messages(): Promise<string[]>;
  /** what it logged */
  log(): Promise<string>;
  stop(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 30_000;
const MESSAGE_BYTES = 30 * 1024 * 1024;

/**
 * The path of Postfix (Debian: postfix), from `POSTFIX` or the usual places of systems. It starts for root only.
 * @returns undefined = leave the suite out, with a printed line
 * @throws Error when this run requires it
 */
export function postfixProgram(): string | undefined {
  const path = realProgram('POSTFIX', 'postfix');
  const isRoot = process.getuid?.() === 0;
  return path === undefined ? undefined : realPart('root, for Postfix', isRoot ? path : undefined);
}

/**
 * Starts Postfix with a queue and settings of its own: its smtpd with TLS, its virtual(8) that writes a Maildir.
 * @param program from `postfixProgram`
 */
export async function startForeignMailHost(
  program: string,
  options: ForeignMailHostOptions,
): Promise<ForeignMailHost> {
  // Its processes give root's rights up and have to find their way.
  const folder = await mkdtemp(join(tmpdir(), 'postfix-'));
  await chmod(folder, 0o755);
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (child) await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await configure(folder, options);
    child = await startMaster(program, folder);
    await greets(options, child);
    return { messages: () => delivered(folder), log: () => logOf(folder), stop };
  } catch (error) {
    const said = await logOf(folder);
    await stop();
    throw new Error(`Postfix did not start: ${said}`, { cause: error });
  }
}

async function configure(folder: string, options: ForeignMailHostOptions): Promise<void> {
  for (const name of ['config', 'queue', 'data', 'mail']) await mkdir(join(folder, name), { mode: 0o755 });
  await run('chown', ['postfix', join(folder, 'data')]);
  await run('chown', ['nobody', join(folder, 'mail')]);
  await writeFile(join(folder, 'config', 'tls.pem'), `${options.tls.key}${options.tls.cert}`, {
    mode: 0o600,
  });
  await writeFile(join(folder, 'config', 'main.cf'), await mainCf(folder, options));
  await writeFile(join(folder, 'config', 'master.cf'), masterCf(options));
}

async function mainCf(folder: string, { host, domains, relay }: ForeignMailHostOptions): Promise<string> {
  const settings = {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    maillog_file: join(folder, 'data', 'log'),
    maillog_file_prefixes: folder,
    myhostname: host,
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    mynetworks: '',
    inet_protocols: 'ipv4',
    smtpd_relay_restrictions: 'reject_unauth_destination',
    smtpd_tls_security_level: 'encrypt',
    smtpd_tls_chain_files: join(folder, 'config', 'tls.pem'),
    smtpd_tls_received_header: 'yes',
    smtpd_tls_loglevel: '1',
    smtpd_peername_lookup: 'no',
    message_size_limit: String(MESSAGE_BYTES),
    virtual_mailbox_domains: domains.join(', '),
    virtual_mailbox_base: join(folder, 'mail'),
    virtual_mailbox_maps: 'static:box/',
    virtual_mailbox_limit: '0',
    virtual_uid_maps: `static:${(await run('id', ['-u', 'nobody'])).stdout.trim()}`,
    virtual_gid_maps: `static:${(await run('id', ['-g', 'nobody'])).stdout.trim()}`,
    ...(relay ? relaySettings(relay) : {}),
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/** Over TLS, with any certificate; names are not resolved. */
const relaySettings = ({ domains, nextPort, bouncesPort }: ForeignRelay) => ({
  relay_domains: domains.join(', '),
  transport_maps: `inline:{ ${domains.map((name) => `{ ${name} = smtp:[127.0.0.1]:${nextPort} }`).join(', ')} }`,
  relayhost: `[127.0.0.1]:${bouncesPort}`,
  smtp_tls_security_level: 'encrypt',
  notify_classes: '',
});

/** Debian's table without what a receiver does not need, and without chroot. */
function masterCf({ address, port }: ForeignMailHostOptions): string {
  return `${address}:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
smtp unix - - n - - smtp
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;
}

/** Not `postfix start`: that leaves the master as a daemon with an unknown process id. */
async function startMaster(program: string, folder: string): Promise<ChildProcess> {
  const config = join(folder, 'config');
  // makes the queue's folders and refuses what cannot work
  await run(program, ['-c', config, 'check']);
  const postconf = join(dirname(program), 'postconf');
  const { stdout } = await run(postconf, ['-c', config, '-h', 'daemon_directory']);
  const child = spawn(join(stdout.trim(), 'master'), ['-c', config, '-s'], {
    env: { ...process.env, MAIL_CONFIG: config },
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  return child;
}

/** The greeting, not the open port: that one is there before the server behind it. */
async function greets({ address, port }: ForeignMailHostOptions, child: ChildProcess): Promise<void> {
  const until = Date.now() + START_MS;
  while (!(await hasGreeting(address, port))) {
    if (child.exitCode !== null) throw new Error('the master has ended');
    if (Date.now() > until) throw new Error('no greeting in time');
    await pause(50);
  }
}

function hasGreeting(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: address, port });
    const settle = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('data', () => settle(true)).once('error', () => settle(false));
    socket.setTimeout(2_000, () => settle(false));
  });
}

async function delivered(folder: string): Promise<string[]> {
  const box = join(folder, 'mail', 'box', 'new');
  const names = await readdir(box).catch(() => []);
  return Promise.all(names.map((name) => readFile(join(box, name), 'utf8')));
}

const logOf = (folder: string): Promise<string> =>
  readFile(join(folder, 'data', 'log'), 'utf8').catch(() => 'nothing was logged');

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(killer);
}
