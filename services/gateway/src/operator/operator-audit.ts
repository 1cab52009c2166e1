import { ApiError } from '@postmesh/contracts';
import type { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { AuditNotes } from '../audit/audit-notes.js';
import { noteOf } from './audit-note.rules.js';
import type { OperatorRequest, OperatorRoute } from './operator-server.js';

/** Writes the actions of operators in services without an audit into the audit of the accounts service. */
export class OperatorAudit {
  private readonly notes: AuditNotes;

  constructor(client: InternalClient, logger: Logger) {
    this.notes = new AuditNotes(client, logger);
  }

  /** @param isAudited whether a request is an action with an audit entry; a read is none */
  around(route: OperatorRoute, isAudited: (request: OperatorRequest) => boolean = () => true): OperatorRoute {
    return async (request) => {
      if (request.method === 'GET' || !isAudited(request)) return route(request);
      const id = await this.notes.begin(noteOf(request));
      try {
        const response = await route(request);
        await this.notes.end(id, response.status ?? 200);
        return response;
      } catch (error) {
        await this.notes.end(id, error instanceof ApiError ? error.status : 500);
        throw error;
      }
    };
  }
}
