// @ts-check
// The disk of the embedded PostgreSQL, which fails on request: parts of the system to "kill" (disk.c).
import { chmodSync, closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolder, removeFolder, runToEnd, sleep, waitUntil } from '../../processes.mjs';
import { findProgram } from '../../real/debian-program.mjs';
import { FAULTS } from '../faults.table.mjs';

/** The words of disk.c, and how long each lasts. @type {Record<string, { fault: number, ms: number }>} */
const LYING = {
  'disk-sync': { fault: 1, ms: 1_500 },
  'disk-io': { fault: 2, ms: 3_000 },
  'disk-stall': { fault: 3, ms: 5_000 },
};
const { parts: PARTS } = FAULTS.disk;
const WELL = 0;
/** A busy machine starts a server in this time. */
const MET_MS = 60_000;
const CONTROL_BYTES = 12;
const MET_AT = 4;

export class Disk {
  /** @param {string} folder @param {Readonly<Record<string, string>>} settings */
  constructor(folder, settings) {
    this.folder = folder;
    /** of the process that starts PostgreSQL */
    this.settings = settings;
    this.control = openSync(settings.LYING_DISK_CONTROL ?? '', 'r+');
  }

  /** Compiles it. */
  static async make() {
    const folder = makeFolder('disk');
    const [library, control] = [join(folder, 'disk.so'), join(folder, 'control')];
    const compiler = findProgram({ name: 'gcc', debianPackage: 'gcc' });
    const source = join(import.meta.dirname, 'disk.c');
    await runToEnd(compiler, ['-shared', '-fPIC', '-O2', '-Wall', '-o', library, source, '-ldl']);
    writeFileSync(control, Buffer.alloc(CONTROL_BYTES));
    // the server has a user of its own
    chmodSync(control, 0o666);
    const hook = pathToFileURL(join(import.meta.dirname, 'spawn-hook.mjs'));
    return new Disk(folder, {
      LYING_DISK_LIBRARY: library,
      LYING_DISK_CONTROL: control,
      NODE_OPTIONS: `--import ${hook}`,
    });
  }

  /** @param {number} fault */
  set(fault) {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(fault);
    writeSync(this.control, bytes, 0, 4, 0);
  }

  /** How often a fault was met, over all. */
  get met() {
    const bytes = Buffer.alloc(4);
    readSync(this.control, bytes, 0, 4, MET_AT);
    return bytes.readInt32LE();
  }

  /**
   * @param {import('../system.mjs').System} system with these parts: a fault lasts for its time, and must be met
   * @returns {import('../system.mjs').System}
   */
  of(system) {
    return {
      ...system,
      parts: [...system.parts, ...PARTS],
      kill: async (part) => {
        const known = LYING[part];
        if (known === undefined) return system.kill(part);
        const before = this.met;
        this.set(known.fault);
        // a server that runs has its pages in memory: they are read by one that starts
        if (part === 'disk-io') await system.kill('postgres');
        const isMet = await waitUntil(() => this.met > before, { limitMs: MET_MS });
        await sleep(known.ms);
        this.set(WELL);
        if (isMet === undefined) throw new Error(`${part}: the server met no fault`);
      },
      begin: (part) => system.begin(PARTS.includes(part) ? 'postgres' : part),
    };
  }

  async stop() {
    this.set(WELL);
    closeSync(this.control);
    removeFolder(this.folder);
  }
}
