// On what the figures were measured: without it they say nothing.
import { spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { round } from './figures.rules.mjs';

const FILE_SYSTEMS = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x01021994: 'tmpfs',
  0x794c7630: 'overlay',
};

/** @param {string} folder on the disk that the runs will use */
export function machineFacts(folder) {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_gib: round(totalmem() / 2 ** 30, 1),
    kernel: `${type()} ${release()}`,
    file_system: FILE_SYSTEMS[statfsSync(folder).type] ?? `type ${statfsSync(folder).type.toString(16)}`,
    load_average_before: round(loadavg()[0], 2),
    fdatasyncs_per_second: syncsPerSecond(folder),
  };
}

/** What a commit costs at least: 8 KiB written over and over, each made durable. */
function syncsPerSecond(folder, ms = 500) {
  const file = openSync(join(folder, 'sync-probe'), 'w');
  try {
    const block = Buffer.alloc(8192, 1);
    const start = performance.now();
    let count = 0;
    for (; performance.now() - start < ms; count += 1) {
      writeSync(file, block, 0, block.length, 0);
      fdatasyncSync(file);
    }
    return round((count / (performance.now() - start)) * 1000);
  } finally {
    closeSync(file);
  }
}

/** @param {string} root of the checkout */
export function versionFacts(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    postmesh: manifest.version,
    commit: firstLine('git', ['-C', root, 'rev-parse', '--short', 'HEAD']),
    changed_since: firstLine('git', ['-C', root, 'status', '--porcelain', '--untracked-files=no']) !== null,
    node: process.version,
    openssl: process.versions.openssl,
  };
}

/** @returns {string | null} null when the program is missing, fails or says nothing */
export function firstLine(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? stdout.split('\n')[0].trim() || null : null;
}
