// A member in a process of its own: joins a group, reports the events that it gets, and never finishes them. It runs
// the library from source through Vite, so that it needs no build.
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';

const { factory, options, group, stream } = JSON.parse(process.argv[2]);
const root = join(import.meta.dirname, '..');
const conditions = ['@postmesh/source', 'node'];
const server = await createViteServer({
  root,
  configFile: false,
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
});
const library = await server.ssrLoadModule('/src/index.ts');
const bus = await library[factory](options);
await bus.subscribe({
  group,
  streams: [stream],
  handle: () => {
    process.send('in the middle');
    return new Promise(() => undefined);
  },
});
