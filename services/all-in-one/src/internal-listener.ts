import { createServer } from 'node:http';
import { ServiceName } from '@postmesh/contracts';
import { stopListening, type ServiceDirectory } from '@postmesh/http';
import { MAX_HEAD_BYTES } from '@postmesh/service-host';

// The services behind it need the rest of the time that is left.
const CLOSE_SHARE = 0.3;

export interface InternalListener {
  /** the URL of a service for another process */
  urlOf(service: ServiceName): string;
  /** waits for requests in flight. @param leftMs then their connections are closed */
  close(leftMs: number): Promise<void>;
}

/**
 * One loopback port through which other processes reach the services of this process: `/<service>/…`. Services verify
 * the token of each call as in production.
 * @throws the error of the operating system when the port is not available
 */
export async function openInternalListener(
  directory: ServiceDirectory,
  at: { port: number; reusePort: boolean },
): Promise<InternalListener> {
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
    server.listen({ ...at, host: '127.0.0.1' }, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    urlOf: (service) => `http://127.0.0.1:${port}/${service}`,
    close: async (leftMs) => {
      const closed = stopListening(server);
      const cut = setTimeout(() => server.closeAllConnections(), leftMs * CLOSE_SHARE);
      await closed;
      clearTimeout(cut);
    },
  };
}
