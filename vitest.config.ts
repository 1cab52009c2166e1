import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { defineConfig, type Plugin } from 'vitest/config';

const THREAD_MAIN = /new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/;

/**
 * A thread begins with a file that Node reads by itself, and our Node versions read no TypeScript: the source of the
 * thread is bundled where one is made, so that threads, too, run what is written and not what was built last.
 */
function threadsFromSource(): Plugin {
  return {
    name: 'threads-from-source',
    enforce: 'pre',
    async transform(code, id) {
      const main = code.includes('new Worker(') ? THREAD_MAIN.exec(code) : null;
      if (!main) return undefined;
      const bundle = await rolldown({
        input: join(dirname(id), `${main[1]}.ts`),
        platform: 'node',
        resolve: { conditionNames: ['@postmesh/source', 'node', 'import'] },
      });
      const { output } = await bundle.generate({ format: 'esm' });
      await bundle.close();
      const url = `data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`;
      return code.replace(main[0], () => `new URL('${url}')`);
    },
  };
}

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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
  },
});
