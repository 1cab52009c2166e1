// @ts-check
// A network between the processes and their stores in which packets vanish: no FIN, no RST. The run has a network namespace of its
// own, whose loopback has the rules.
import { spawnSync } from 'node:child_process';
import { sleep } from '../processes.mjs';
import { findProgram } from '../real/debian-program.mjs';
import { FAULTS } from './faults.table.mjs';

/** How long nothing passes: longer than a statement may be silent. */
const AWAY_MS = 20_000;
const STEP_MS = 20_000;
const STORES = /** @type {const} */ (['postgres', 'kafka', 'redis']);
const PREFIX = 'net-';
const { parts: PARTS } = FAULTS.net;
const INSIDE = 'LEDGER_HAS_ITS_NETWORK';

/** The same command in a namespace without other networks, once. @returns {number | undefined} its exit code; undefined inside */
export function inOwnNetwork() {
  if (process.env[INSIDE] !== undefined) {
    run('ip', ['link', 'set', 'lo', 'up']);
    return undefined;
  }
  const args = ['--net', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', args, {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: 'yes' },
  });
  return status ?? 1;
}

export class Network {
  /** @type {Readonly<Record<string, string>>} */
  settings = {};
  nft = findProgram({ name: 'nft', debianPackage: 'nftables' });

  /** @param {import('./system.mjs').System} system @returns {import('./system.mjs').System} with these parts */
  of(system) {
    const { ports } = system;
    if (ports === undefined) throw new Error('the ports of the stores are not known');
    return {
      ...system,
      parts: [...system.parts, ...PARTS],
      kill: async (part) => {
        const store = STORES.find((name) => part === `${PREFIX}${name}`);
        if (store === undefined) return system.kill(part);
        this.drop(ports[store]);
        await sleep(AWAY_MS);
        this.mend();
      },
      begin: async (part) => {
        if (!PARTS.includes(part)) await system.begin(part);
      },
    };
  }

  /** Packets of both sides are dropped as they arrive. @param {number} port */
  drop(port) {
    const rules = ['dport', 'sport'].map((side) => `add rule inet lying arrives tcp ${side} ${port} drop`);
    const chain = 'add chain inet lying arrives { type filter hook input priority 0; }';
    const text = ['add table inet lying', chain, ...rules, ''].join('\n');
    run(this.nft, ['-f', '-'], text);
  }

  mend() {
    run(this.nft, ['delete', 'table', 'inet', 'lying']);
  }

  async stop() {
    spawnSync(this.nft, ['delete', 'table', 'inet', 'lying'], { timeout: STEP_MS });
  }
}

/** @param {string} command @param {string[]} args @param {string} [input] */
function run(command, args, input) {
  const done = spawnSync(command, args, { input, encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.error?.message ?? done.stderr}`);
}
