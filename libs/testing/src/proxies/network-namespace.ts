import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
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
 * @param ip from `namespaceProgram`
 * @param options `ours`: the address of this machine in the network; `theirs`: those of the namespace; all of one /24
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
    run(`address add ${ours}/24 dev ${near}`);
    run(`link set ${near} up`);
    for (const address of theirs) run(`-n ${name} address add ${address}/24 dev ${far}`);
    for (const device of [far, 'lo']) run(`-n ${name} link set ${device} up`);
  } catch (error) {
    stop();
    throw error;
  }
  return { address: theirs[0] ?? '', exec: [ip, 'netns', 'exec', name], stop };
}

/** Devices have 15 characters at most. */
const newName = (): string => `pm${randomBytes(4).toString('hex')}`;
