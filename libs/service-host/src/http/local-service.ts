import type { FastifyInstance } from 'fastify';
import type { LocalService } from '@postmesh/http';

/** A service for callers in the same process. It reads a streamed body at its own pace. */
export const localService = (fastify: FastifyInstance): LocalService => ({
  route: (request, response) => fastify.routing(request, response),
  inject: async ({ method, path, headers, raw, body }) => {
    const payload = raw?.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fastify.inject({
      method,
      url: path,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      bytes: response.rawPayload,
    };
  },
});
