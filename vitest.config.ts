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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
  },
});
