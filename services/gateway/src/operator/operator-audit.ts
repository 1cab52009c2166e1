import { ApiError } from '@postmesh/contracts';
import { AuditNoteResponse } from '@postmesh/accounts-contract';
import type { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { noteOf } from './audit-note.rules.js';
import type { OperatorRequest, OperatorRoute } from './operator-server.js';

/**
 * Writes the actions of operators in services without an audit into the audit of the accounts service: the entry before
 * the action, so that no action lacks an entry, and its outcome afterwards.
 */
export class OperatorAudit {
  constructor(
    private readonly client: InternalClient,
    private readonly logger: Logger,
  ) {}

  /** @param isAudited whether a request is an action with an audit entry; a read is none */
  around(route: OperatorRoute, isAudited: (request: OperatorRequest) => boolean = () => true): OperatorRoute {
    return async (request) => {
      if (request.method === 'GET' || !isAudited(request)) return route(request);
      const id = await this.begin(request);
      try {
        const response = await route(request);
        await this.end(id, response.status ?? 200);
        return response;
      } catch (error) {
        await this.end(id, error instanceof ApiError ? error.status : 500);
        throw error;
      }
    };
  }

  /** @throws ApiError 503 when the entry cannot be written; the action is not run then */
  private async begin(request: OperatorRequest): Promise<string> {
    const entry = { method: 'POST' as const, path: '/internal/audit', body: noteOf(request) };
    const response = await this.client
      .request('accounts', entry, AuditNoteResponse)
      .catch((error: unknown) => {
        this.logger.error(
          { event: 'audit.entry_failed', err: error },
          'writing an audit entry failed, action refused',
        );
        return undefined;
      });
    if (!response) throw new ApiError(503, 'nothing was done: the audit cannot be written');
    return response.id;
  }

  /** The action has been run: an outcome that cannot be written stays unknown in the audit. */
  private async end(id: string, status: number): Promise<void> {
    const path = `/internal/audit/${id}/outcome`;
    const outcome = { method: 'POST' as const, path, body: { status } };
    try {
      const response = await this.client.request('accounts', outcome, AuditNoteResponse);
      if (!response) throw new Error('the audit has no such entry');
    } catch (error) {
      this.logger.error(
        { event: 'audit.outcome_failed', err: error, audit_id: id, status },
        'writing the outcome of an action failed, it stays unknown',
      );
    }
  }
}
