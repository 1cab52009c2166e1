import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { realProgram } from '../real-part.js';

const run = promisify(execFile);

/**
 * The path of OpenDKIM (Debian: opendkim), from `OPENDKIM` or the usual places of systems.
 * @returns undefined = leave the suite out, with a printed line
 * @throws Error when this run requires it
 */
export const openDkim = (): string | undefined => realProgram('OPENDKIM', 'opendkim');

/**
 * Verifies signed messages in the test mode of OpenDKIM, which takes public keys from a file. (opendkim-testmsg has
 * the same library but queries the resolver of the system for them.)
 * @param keys DNS name → record
 * @returns name of a file → whether its signature is good
 */
export async function verifyWithOpenDkim(
  program: string,
  given: { files: readonly { name: string; bytes: Buffer }[]; keys: Readonly<Record<string, string>> },
): Promise<Record<string, boolean>> {
  const folder = await mkdtemp(join(tmpdir(), 'opendkim-'));
  try {
    const keys = Object.entries(given.keys).map(([name, record]) => `${name} ${record}\n`);
    await writeFile(join(folder, 'keys'), keys.join(''));
    await writeFile(join(folder, 'conf'), `Mode v\nSyslog no\nTestPublicKeys ${folder}/keys\n`);
    for (const { name, bytes } of given.files) await writeFile(join(folder, name), bytes);
    const names = given.files.map(({ name }) => name);
    const { stdout, stderr } = await run(program, ['-x', 'conf', '-t', names.join(',')], { cwd: folder });
    const said = `${stdout}${stderr}`;
    return Object.fromEntries(
      names.map((name) => [name, said.includes(`${name}: verification (`) && isGood(said, name)]),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const isGood = (said: string, name: string): boolean =>
  said.split('\n').some((line) => line.includes(`${name}: verification (`) && line.endsWith(' succeeded'));
