import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { realPart, realProgram } from '../real-part.js';

/** A network of its own, connected to ours: a node with addresses that this machine does not have. */
export interface NetworkNamespace {
  /** its first address */
  readonly address: string;
  /** before a command that runs in it */
  readonly exec: readonly string[];
  stop(): void;
}

/**
 * The path of `ip` (Debian: iproute2), where this process may make network namespaces.
 * @returns undefined = leave the suite out
 * @throws Error when this run requires them (`NAMESPACES`)
 */
export function namespaceProgram(): string | undefined {
  const ip = realProgram('IP', 'ip');
  const isAble = ip !== undefined && process.getuid?.() === 0 && canMake(ip);
  return realPart('NAMESPACES', isAble ? ip : undefined);
}

function canMake(ip: string): boolean {
  try {
    const name = newName();
    execFileSync(ip, ['netns', 'add', name], { stdio: 'pipe' });
    execFileSync(ip, ['netns', 'del', name], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Six addresses of one network for documentation (RFC 5737) that this machine is not connected to: a run at the same time
 * has another one, and one that was killed leaves its own behind.
 */
export function freeAddresses(): string[] {
  const taken = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const networks = ['198.51.100', '203.0.113'].flatMap((prefix) =>
    Array.from({ length: 32 }, (_, nth) =>
      Array.from({ length: 6 }, (_, host) => `${prefix}.${nth * 8 + host + 1}`),
    ),
  );
  const free = networks.filter((addresses) => !addresses.some((address) => taken.includes(address)));
  const chosen = free[randomBytes(1).readUInt8() % free.length];
  if (chosen === undefined) throw new Error('every network for documentation is taken: ip netns list');
  return chosen;
}

/**
 * @param ip from `namespaceProgram`
 * @param options of `freeAddresses`: `ours` is the address of this machine in the network, `theirs` are those of the namespace
 */
export function startNamespace(
  ip: string,
  { ours, theirs }: { ours: string; theirs: readonly string[] },
): NetworkNamespace {
  const name = newName();
  const [near, far] = [`${name}a`, `${name}b`];
  const run = (line: string) => execFileSync(ip, line.split(' '), { stdio: 'pipe' });
  const stop = () => {
    // its end of the pair goes with it, and ours with that
    run(`netns del ${name}`);
  };
  run(`netns add ${name}`);
  try {
    run(`link add ${near} type veth peer name ${far} netns ${name}`);
    run(`address add ${ours}/29 dev ${near}`);
    run(`link set ${near} up`);
    for (const address of theirs) run(`-n ${name} address add ${address}/29 dev ${far}`);
    for (const device of [far, 'lo']) run(`-n ${name} link set ${device} up`);
  } catch (error) {
    stop();
    throw error;
  }
  return { address: theirs[0] ?? '', exec: [ip, 'netns', 'exec', name], stop };
}

/** Devices have 15 characters at most. */
const newName = (): string => `pm${randomBytes(4).toString('hex')}`;
