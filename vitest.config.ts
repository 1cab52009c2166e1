import { defineConfig } from 'vitest/config';

// Libraries resolve from source, so a test never runs against a stale build.
export default defineConfig({
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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
  },
});
