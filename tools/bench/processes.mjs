// CPU and memory of processes from /proc. Other systems have no /proc: their figures are null.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { round } from './figures.rules.mjs';

export const canMeasure = existsSync('/proc/self/stat');
const TICKS = canMeasure
  ? Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100
  : 100;

/** Of one process, without its children. @returns seconds, null when it is gone */
export function cpuSeconds(pid) {
  const stat = readStat(pid);
  return stat && stat.own / TICKS;
}

/** Of a process, of the children that it has and of those that have ended. */
export function treeCpuSeconds(pid) {
  if (!canMeasure) return null;
  const stats = processTree(pid).map(readStat).filter(Boolean);
  return stats.length === 0 ? null : stats.reduce((sum, stat) => sum + stat.own + stat.reaped, 0) / TICKS;
}

/** Resident memory of one process. @returns MiB */
export function residentMib(pid) {
  return readKib(`/proc/${pid}/status`, /^VmRSS:\s+(\d+)/m);
}

/** Memory of a process and its children; what they share is counted once (PSS). @returns MiB */
export function treeMib(pid) {
  if (!canMeasure) return null;
  const sizes = processTree(pid).map((each) => readKib(`/proc/${each}/smaps_rollup`, /^Pss:\s+(\d+)/m));
  return round(
    sizes.reduce((sum, size) => sum + (size ?? 0), 0),
    1,
  );
}

/** The process and all below it. */
export function processTree(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = readStat(entry)?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}

/** Fields are counted from behind the name, which may hold blanks and brackets (proc(5)). */
function readStat(pid) {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index) => Number(fields[index]);
  return { parent: ticks(1), own: ticks(11) + ticks(12), reaped: ticks(13) + ticks(14) };
}

function readKib(path, pattern) {
  const found = read(path)?.match(pattern)?.[1];
  return found === undefined ? null : round(Number(found) / 1024, 1);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // the process is gone, or this system has no /proc
    return undefined;
  }
}
