import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { defineConfig, type Plugin } from 'vitest/config';

const THREAD_MAIN = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/;

/** What is not ours is taken from node_modules, by the thread itself. */
const isPackage = (id: string): boolean => /^(?:@(?!postmesh\/)[\w-]+\/)?[a-z]/.test(id);

/**
 * A thread begins with a file that Node reads by itself, and our Node versions read no TypeScript: the source of the
 * thread is bundled where one is made, so that threads, too, run what is written and not what was built last.
 */
function threadsFromSource(): Plugin {
  let folder = '';
  return {
    name: 'threads-from-source',
    enforce: 'pre',
    configResolved({ root }) {
      folder = join(root, '.vitest', 'threads');
    },
    async transform(code, id) {
      const main = code.includes('new Worker(') ? THREAD_MAIN.exec(code) : null;
      if (!main) return undefined;
      const bundle = await rolldown({
        input: join(dirname(id), `${main[1]}.ts`),
        platform: 'node',
        external: isPackage,
        resolve: { conditionNames: ['@postmesh/source', 'node', 'import'] },
      });
      const { output } = await bundle.generate({ format: 'esm' });
      await bundle.close();
      await mkdir(folder, { recursive: true });
      const digest = createHash('sha256').update(output[0].code).digest('hex').slice(0, 16);
      const file = join(folder, `${main[1]}-${digest}.mjs`);
      // whole at once: other processes of the run write the same
      await writeFile(`${file}.${process.pid}`, output[0].code);
      await rename(`${file}.${process.pid}`, file);
      return code.replace(main[0], () => `new URL('${pathToFileURL(file)}')`);
    },
  };
}

interface UncaughtError {
  readonly message?: string;
  readonly stack?: string;
  readonly VITEST_TEST_PATH?: string;
}

/** What no test has caught makes a run fail, and stands in none of its results: `npm test` is told of it. */
const uncaught = {
  onTestRunEnd(_modules: unknown, errors: readonly UncaughtError[]): void {
    const told = errors.map(({ VITEST_TEST_PATH: file, stack, message }) => ({
      file,
      message: stack ?? message ?? 'what is no error',
    }));
    mkdirSync('.vitest', { recursive: true });
    writeFileSync(join('.vitest', 'uncaught.json'), JSON.stringify(told));
  },
};

// Libraries resolve from source, so a test never runs against a stale build.
export default defineConfig({
  plugins: [threadsFromSource()],
  resolve: { conditions: ['@postmesh/source', 'node'] },
  ssr: { resolve: { conditions: ['@postmesh/source', 'node'] } },
  // Specs stand outside of the TypeScript project that vite finds for them, so it is told what that says of decorators.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include: ['src/**/*.spec.ts', 'conformance/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['dist/**', 'node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    // Files of one worker share what they import: loading Nest, TypeORM and our own libraries anew for each file took
    // 60 % of the processor time of a service's tests.
    isolate: false,
    // How long something takes says how busy a machine is; these say only when a run that hangs gives up.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    passWithNoTests: false,
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }], uncaught],
  },
});
