import { createServer } from 'node:http';
import { ServiceName } from '@postmesh/contracts';
import type { ServiceDirectory } from '@postmesh/internal-http';
import { MAX_HEAD_BYTES } from '@postmesh/service-host';

export interface InternalListener {
  /** the URL of a service for another thread or process */
  urlOf(service: ServiceName): string;
  close(): Promise<void>;
}

/**
 * One loopback port through which other threads and processes reach the services of this one: `/<service>/…`. Services
 * verify the token of each call as they do in production.
 */
export async function openInternalListener(directory: ServiceDirectory): Promise<InternalListener> {
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    const [, name, rest] = /^\/([a-z-]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const service = ServiceName.safeParse(name);
    const local = service.success ? directory.findLocal(service.data) : undefined;
    if (!local || rest === undefined) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end('{"message":"service temporarily unavailable"}');
      return;
    }
    request.url = rest;
    local.route(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    urlOf: (service) => `http://127.0.0.1:${port}/${service}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
