// @ts-check
// A process of its own: the web server of Postmesh alone, as reference for the cost of authentication, limits and the
// log line of a request.
import fastify from 'fastify';
import { serveJobs } from './workers.mjs';

serveJobs({
  listen: async ({ path, response }) => {
    const server = fastify({ logger: false });
    server.get(path, (_request, reply) => reply.send(response));
    await server.listen({ host: '127.0.0.1', port: 0 });
    return { port: /** @type {import('node:net').AddressInfo} */ (server.server.address()).port };
  },
});
