import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiResponse } from '@postmesh/contracts';
import { ServerSilent, type DatabaseServer } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { toApiError } from './responses.js';

/** Probes of the process: their answer says how it is. */
const PROBES = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Requests whose handler runs. While the database of their service does not answer at all, they get a 503 at once, and new ones
 * as well: no client waits for the end of its connections. A handler continues, sees a response that was sent, and stores or frees
 * the key of its run.
 */
export class WaitingRequests {
  private readonly open = new Set<FastifyReply>();

  constructor(
    private readonly server: DatabaseServer,
    private readonly logger: Logger,
  ) {}

  watch(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', (request, reply, done) => {
      if (PROBES.has(request.url)) return done();
      if (this.server.isQuiet) return done(new ServerSilent());
      this.open.add(reply);
      done();
    });
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      this.open.delete(reply);
      done(null, payload);
    });
    // other code may have ended the response
    fastify.addHook('onResponse', (_request, reply, done) => {
      this.open.delete(reply);
      done();
    });
    const ignore = this.server.whenQuiet(() => this.refuse());
    fastify.addHook('onClose', (_instance, done) => {
      ignore();
      done();
    });
  }

  private refuse(): void {
    const waiting = [...this.open].filter((reply) => !reply.sent && hasArrived(reply.request));
    const about = { event: 'database.quiet', requests: waiting.length };
    this.logger.warn(about, 'database does not answer, requests are refused until it does');
    const { status, message, headers } = toApiError(new ServerSilent());
    const { bytes } = apiResponse(status, { message });
    for (const reply of waiting) {
      void reply
        .status(status)
        .header('content-type', 'application/json')
        .headers(headers ?? {});
      reply.send(bytes);
    }
  }
}

/** The rest of a stream may still come, and its handler ends with it. A request inside of the process has no such mark. */
const hasArrived = ({ raw }: FastifyRequest): boolean => (raw.complete as boolean | undefined) !== false;
