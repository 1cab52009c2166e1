import { defineConfig } from 'vitest/config';

// Libraries resolve from source, so a test never runs against a stale build.
export default defineConfig({
  resolve: { conditions: ['@postmesh/source', 'node'] },
  ssr: { resolve: { conditions: ['@postmesh/source', 'node'] } },
  test: {
    include: ['src/**/*.spec.ts', 'conformance/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['dist/**', 'node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    // Files of one worker share what they import: loading Nest, TypeORM and our own libraries anew for each file took
    // 60 % of the processor time of a service's tests.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
  },
});
