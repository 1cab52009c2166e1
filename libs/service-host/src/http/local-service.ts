import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import inject from 'light-my-request';
import type { LocalService } from '@postmesh/http';

/** A service for callers in the same process. It reads a streamed body at its own pace. */
export const localService = (fastify: FastifyInstance): LocalService => ({
  route: (request, response) => fastify.routing(request, response),
  inject: async ({ method, path, headers, raw, body, signal }) => {
    const payload = raw?.bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    // The signal of light-my-request is without effect once the service has read the body.
    let leave = () => {};
    const route: RequestListener = (request, response) => {
      leave = () => void request.socket.emit('close', false);
      signal?.addEventListener('abort', leave);
      // a listener that is added after the signal was aborted is called, too
      request.socket.on('newListener', (event) => {
        if (event === 'close' && signal?.aborted) queueMicrotask(leave);
      });
      fastify.routing(request, response);
    };
    try {
      const response = await inject(route, {
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
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  },
});
