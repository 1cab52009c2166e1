import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Resolver } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@postmesh/database';
import { realProgram } from '../real-part.js';

/** A TSIG key (RFC 8945): who signs with it may read and change the zones. */
interface TsigKey {
  /** with or without a trailing dot */
  name: string;
  algorithm: 'hmac-sha256' | 'hmac-sha512';
  /** base64 */
  secret: string;
}

export interface ForeignNameServerOptions {
  /**
   * Zone name → records as a zone file has them, relative to the zone (`@ TXT "v=spf1 -all"`). SOA and NS are added.
   */
  zones: Readonly<Record<string, string>>;
  /** with it the zones can be changed by dynamic updates (RFC 2136) and transferred; without it they cannot */
  tsig?: TsigKey;
}

/** An authoritative name server that is not ours, on a free loopback port (UDP and TCP). */
export interface ForeignNameServer {
  readonly host: string;
  readonly port: number;
  /** `127.0.0.1:<port>`, as resolvers are configured */
  readonly address: string;
  readonly pid: number;
  /** replaces a zone; dynamic updates to it are lost */
  setZone(name: string, records: string): Promise<void>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
// A free TCP port may be taken on UDP, or be taken before the server listens.
const PORT_TRIES = 5;
const START_MS = 60_000;
const STOP_MS = 30_000;

/**
 * The path of Knot DNS (Debian: knot), from `KNOTD` or the usual places of systems.
 * @returns undefined = leave the suite out, with a printed line
 * @throws Error when this run requires it
 */
export const knotServer = (): string | undefined => realProgram('KNOTD', 'knotd');

/** Records as the API lists them, as lines of a zone file; long texts in strings of at most 255 characters. */
export function zoneLines(records: readonly { type: string; host: string; content: string }[]): string {
  return records.map(({ type, host, content }) => `${host}. ${type} ${zoneData(type, content)}`).join('\n');
}

function zoneData(type: string, content: string): string {
  if (type !== 'TXT') return type === 'A' ? content : `${content}.`;
  const strings = content.match(/[\s\S]{1,255}/g) ?? [''];
  return strings.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(' ');
}

/**
 * Starts Knot DNS with the given zones.
 * @param binary from `knotServer`
 */
export async function startForeignNameServer(
  binary: string,
  options: ForeignNameServerOptions,
): Promise<ForeignNameServer> {
  const folder = await mkdtemp(join(tmpdir(), 'knot-'));
  try {
    const zones = new ZoneFiles(folder);
    for (const [name, records] of Object.entries(options.zones)) await zones.write(name, records);
    const { child, port } = await listen(binary, folder, { options, zones });
    return {
      host: HOST,
      port,
      address: `${HOST}:${port}`,
      pid: child.pid as number,
      setZone: async (name, records) => {
        await zones.write(name, records);
        child.kill('SIGHUP');
        await zones.served(port, child);
      },
      stop: async () => {
        await end(child);
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

// Far more than the dynamic updates of a test add to the serial: a replaced zone is newer than those.
const SERIAL_STEP = 1_000_000;

class ZoneFiles {
  private readonly serials = new Map<string, number>();

  constructor(readonly folder: string) {}

  path = (name: string): string => join(this.folder, `${name}.zone`);

  async write(name: string, records: string): Promise<void> {
    const serial = (this.serials.get(name) ?? 0) + SERIAL_STEP;
    this.serials.set(name, serial);
    const head = [
      `$ORIGIN ${name}.`,
      '$TTL 1',
      `@ SOA ns.${name}. hostmaster.${name}. ${serial} 3600 600 86400 1`,
      `@ NS ns.${name}.`,
      `ns A ${HOST}`,
    ];
    await writeFile(this.path(name), `${[...head, records].join('\n')}\n`);
  }

  /** Waits until the server answers for every zone as it was written, or is gone. */
  async served(port: number, child: ChildProcess): Promise<void> {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`${HOST}:${port}`]);
    const until = Date.now() + START_MS;
    for (const [name, serial] of this.serials) {
      const isServed = async () =>
        ((await resolver.resolveSoa(name).catch(() => undefined))?.serial ?? 0) >= serial;
      while (!(await isServed())) {
        if (child.exitCode !== null) throw new Error('the name server has ended');
        if (Date.now() > until) throw new Error(`the name server does not serve ${name} as it was written`);
        await pause(20);
      }
    }
  }
}

interface Start {
  options: ForeignNameServerOptions;
  zones: ZoneFiles;
}

async function listen(binary: string, folder: string, { options, zones }: Start) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freeDnsPort();
    const config = join(folder, 'knot.conf');
    await writeFile(config, configuration(port, zones, options), { mode: 0o600 });
    const child = spawn(binary, ['-c', config, '-m', '64', '-s', join(folder, 'knot.sock')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
    try {
      await Promise.race([
        once(child, 'spawn'),
        once(child, 'error').then(([error]) => Promise.reject(error)),
      ]);
      await zones.served(port, child);
      return { child, port };
    } catch (error) {
      await end(child);
      if (attempt >= PORT_TRIES) throw new Error(`${binary} does not serve: ${said}`, { cause: error });
    }
  }
}

async function freeDnsPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const socket = createSocket('udp4');
    try {
      socket.bind(port, HOST);
      await once(socket, 'listening');
      return port;
    } catch {
      // taken on UDP: the next draw
    } finally {
      socket.close();
    }
  }
}

function configuration(port: number, zones: ZoneFiles, { tsig, zones: given }: ForeignNameServerOptions) {
  const { folder } = zones;
  const writer = tsig && [
    'key:',
    `  - id: ${tsig.name}`,
    `    algorithm: ${tsig.algorithm}`,
    `    secret: ${tsig.secret}`,
    'acl:',
    '  - id: writer',
    `    key: ${tsig.name}`,
    '    action: [update, transfer]',
  ];
  return [
    'server:',
    `    rundir: "${folder}"`,
    `    listen: ${HOST}@${port}`,
    '    udp-workers: 1',
    '    tcp-workers: 1',
    '    background-workers: 1',
    'log:',
    '  - target: stderr',
    '    any: warning',
    'database:',
    `    storage: "${folder}/db"`,
    ...(writer ?? []),
    'template:',
    '  - id: default',
    // the last set zone counts, and a dynamic update is in the zone file at once: there is no journal
    '    zonefile-load: whole',
    '    zonefile-sync: 0',
    '    journal-content: none',
    ...(tsig ? ['    acl: writer'] : []),
    'zone:',
    ...Object.keys(given).flatMap((name) => [`  - domain: ${name}`, `    file: "${zones.path(name)}"`]),
    '',
  ].join('\n');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(killer);
}
