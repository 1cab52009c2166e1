import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Tests are no part of the build: a script of theirs that is to be a process of its own needs one with them.
 * @param project its folder
 * @param script below its `src`
 * @returns the path of what Node can run
 */
export async function buildTestScript(project: string, script: string): Promise<string> {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc');
  const folder = join(project, '.vitest', 'build');
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [tsc, ...args], { cwd: project });
  await run('-b');
  const options = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipLibCheck'];
  await run(join('src', script), '--ignoreConfig', ...options, '--rootDir', 'src', '--outDir', folder);
  return join(folder, script.replace(/\.ts$/, '.js'));
}
