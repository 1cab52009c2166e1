// @ts-check
// Loaded before Postmesh (--import): the PostgreSQL that it starts has the lying disk under it. The product starts it with an
// environment of its own, and takes no such thing from ours.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const { LYING_DISK_LIBRARY: library = '', LYING_DISK_CONTROL: control = '' } = process.env;
const { spawn } = childProcess;

/** @param {string} program @param {any} given @param {any} [options] */
function spawnOnDisk(program, given, options) {
  if (basename(program) !== 'postgres') return spawn(program, given, options);
  const env = { ...options.env, LD_PRELOAD: library, LYING_DISK_CONTROL: control };
  return spawn(program, given, { ...options, env });
}

Object.assign(childProcess, { spawn: spawnOnDisk });
syncBuiltinESMExports();
