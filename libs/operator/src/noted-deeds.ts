import { ApiError, AuditNoteResponse } from '@postmesh/contracts';
import type { InternalClient } from '@postmesh/internal-http';
import type { Logger } from '@postmesh/observability';
import { noteOf } from './deed-note.rules.js';
import type { OperatorRequest, OperatorRoute } from './operator-server.js';

/**
 * Writes what operators do in services without an audit into that of the accounts service: before the deed,
 * so that nothing happens that nobody knows of, and again with how it ended.
 */
export class NotedDeeds {
  constructor(
    private readonly client: InternalClient,
    private readonly logger: Logger,
  ) {}

  /** @param isNoted whether a request is a deed to be noted; reading is none */
  around(route: OperatorRoute, isNoted: (request: OperatorRequest) => boolean): OperatorRoute {
    return async (request) => {
      if (request.method === 'GET' || !isNoted(request)) return route(request);
      const id = await this.begin(request);
      try {
        const given = await route(request);
        await this.end(id, given.status ?? 200);
        return given;
      } catch (error) {
        await this.end(id, error instanceof ApiError ? error.status : 500);
        throw error;
      }
    };
  }

  /** @throws ApiError 503 when the note cannot be written; nothing has been done then */
  private async begin(request: OperatorRequest): Promise<string> {
    const note = { method: 'POST' as const, path: '/internal/audit', body: noteOf(request) };
    const response = await this.client
      .request('accounts', note, AuditNoteResponse)
      .catch((error: unknown) => {
        this.logger.error({ err: error }, 'a deed of an operator cannot be noted');
        return undefined;
      });
    if (!response) throw new ApiError(503, 'nothing was done: the audit cannot be written');
    return response.id;
  }

  /** The deed is done: an outcome that cannot be written stays unknown in the audit. */
  private async end(id: string, status: number): Promise<void> {
    const path = `/internal/audit/${id}/outcome`;
    const outcome = { method: 'POST' as const, path, body: { status } };
    try {
      const response = await this.client.request('accounts', outcome, AuditNoteResponse);
      if (!response) throw new Error('the audit does not know its own note');
    } catch (error) {
      this.logger.error({ err: error, audit_id: id, status }, 'the outcome of a deed cannot be noted');
    }
  }
}
