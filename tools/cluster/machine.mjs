// @ts-check
// The parts of a machine that a cluster on it needs (network.mjs, container.mjs).
import { spawnSync } from 'node:child_process';
import { findProgram } from '../real/debian-program.mjs';

const STEP_MS = 20_000;

/** @returns {string | undefined} why no cluster can be made here, for people; none: it can */
export function whyNoCluster() {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  const namespace = `pm-try-${process.pid.toString(36)}`;
  try {
    const nft = findProgram({ name: 'nft', debianPackage: 'nftables' });
    findProgram({ name: 'ip', debianPackage: 'iproute2' });
    run('ip', ['netns', 'add', namespace]);
    run('ip', ['netns', 'exec', namespace, nft, 'add', 'table', 'ip', 'try']);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    spawnSync('ip', ['netns', 'delete', namespace], { timeout: STEP_MS });
  }
}

/** @param {string} command @param {string[]} args @throws Error when it fails */
function run(command, args) {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.error?.message ?? done.stderr.trim()}`);
}
