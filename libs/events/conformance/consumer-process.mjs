// A process of a service that consumes and is killed (-9) in the middle: before its commit, or right behind it, when
// the bus does not know of it yet. It runs the library from source through Vite, so that it needs no build.
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';

const { url, dies, at } = JSON.parse(process.argv[2]);
const conditions = ['@postmesh/source', 'node'];
const server = await createViteServer({
  root: join(import.meta.dirname, '..'),
  configFile: false,
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
});
const { openService } = await server.ssrLoadModule('/conformance/service-under-test.ts');
const service = await openService(url);
let seen = 0;
const die = () => process.kill(process.pid, 'SIGKILL');
await service.consume({
  inside: (events) => {
    seen += events.length;
    if (dies === 'before the commit' && seen >= at) die();
  },
  after: () => {
    if (dies === 'behind the commit' && seen >= at) die();
  },
});
process.send('joined');
