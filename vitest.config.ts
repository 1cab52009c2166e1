import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { filesOf } from './tools/test-tiers.mjs';

const root = import.meta.dirname;

/**
 * `npm test` and its longer tiers run here, all projects at once. In the folder of a project (`nx affected -t test`,
 * `npm test -w @postmesh/messages`) its own files of the first tier run; those of every tier when the command line has part
 * of a path, or POSTMESH_TEST_TIER is `all`.
 */
const isWhole = resolve(process.cwd()) === root;
const project = relative(root, process.cwd());
// after `run --config … --root .` or `list …`
const isPick = process.argv
  .slice(2)
  .some(
    (word, at, words) => !/^(?:run$|list$|-)/.test(word) && !/^--(?:config|root)$/.test(words[at - 1] ?? ''),
  );
const tierOfProject = { POSTMESH_TEST_TIER: isPick ? 'all' : 'first', ...process.env };
const isAllInOne = resolve(process.cwd()) === join(root, 'services', 'all-in-one');
const BUILD = join(root, 'tools', 'test-build.mjs');
const INSTALLATIONS = join(root, 'services', 'all-in-one', 'test', 'contract', 'shared-installations.ts');

/** Node reads the first file of a thread without vitest: the built one. `prepareRun` builds it. */
function threadsFromBuild(): Plugin {
  return {
    name: 'threads-from-build',
    enforce: 'pre',
    transform(code, id) {
      if (!code.includes('new Worker(')) return undefined;
      const built = id.replace('/src/', '/dist/');
      return code.replace(/(new URL\('\.\/[\w-]+\.js', )import\.meta\.url\)/, `$1'file://${built}')`);
    },
  };
}

interface UncaughtError {
  readonly message?: string;
  readonly stack?: string;
  readonly VITEST_TEST_PATH?: string;
}

/** An error outside of all tests makes a run fail and is in none of its results: `tools/test.mjs` reads it here. */
const uncaught = {
  onTestRunEnd(_modules: unknown, errors: readonly UncaughtError[]): void {
    const read = errors.map(({ VITEST_TEST_PATH: file, stack, message }) => ({
      file,
      message: stack ?? message ?? 'a value that is no error was thrown',
    }));
    mkdirSync('.vitest', { recursive: true });
    writeFileSync(join('.vitest', 'uncaught.json'), JSON.stringify(read));
  },
};

/**
 * Files of one worker share what they import: loading Nest, TypeORM and our libraries anew for each took 60 % of the
 * processor time of a service's tests. Groups are apart where a test's service has the name of a real one.
 */
const GROUPS = {
  '1-services': ['services/*/src/**', 'services/*/conformance/**'],
  '2-gateway': ['services/gateway/src/**'],
  '3-libs': ['libs/*/src/**', 'libs/*/conformance/**', 'services/*/contract/src/**'],
  '4-whole': ['services/all-in-one/src/**', 'services/all-in-one/test/**'],
};

const groups = Object.entries(GROUPS).map(([name, folders]) => ({
  extends: true as const,
  test: {
    name,
    include: filesOf(folders, process.env),
    exclude: name === '1-services' ? ['services/gateway/**', 'services/all-in-one/**'] : [],
    ...(name === '4-whole'
      ? { globalSetup: ['services/all-in-one/test/contract/shared-installations.ts'] }
      : {}),
  },
}));

// Libraries resolve from source, so a test never runs against a stale build.
export default defineConfig({
  plugins: [threadsFromBuild()],
  resolve: { conditions: ['@postmesh/source', 'node'] },
  ssr: { resolve: { conditions: ['@postmesh/source', 'node'] } },
  // Specs are outside of the TypeScript project that vite finds for them, which would say so.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    ...(isWhole
      ? { projects: groups.filter(({ test }) => test.include.length > 0), globalSetup: [BUILD] }
      : {
          include: filesOf([`${project}/{src,conformance,test}/**`], tierOfProject).map((path) =>
            relative(project, path),
          ),
          passWithNoTests: true,
          globalSetup: isAllInOne ? [BUILD, INSTALLATIONS] : [BUILD],
        }),
    exclude: ['**/dist/**', '**/node_modules/**'],
    pool: 'forks',
    maxWorkers: availableParallelism(),
    isolate: false,
    env: { POSTMESH_TEST_RUN: process.env.POSTMESH_TEST_RUN ?? `${process.pid}-${Date.now()}` },
    // These say that a run hangs, and nothing of how long something takes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }], uncaught],
  },
});
