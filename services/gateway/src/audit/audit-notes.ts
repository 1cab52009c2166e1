import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@postmesh/contracts';
import {
  AuditNoteResponse,
  KeyAuditNoteResponse,
  type AuditNote,
  type KeyAuditNote,
} from '@postmesh/accounts-contract';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';

/**
 * Writes actions in services without an audit into the audit of the accounts service: the entry before the action, so that
 * no action lacks an entry, and its outcome afterwards.
 */
@Injectable()
export class AuditNotes {
  constructor(
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws ApiError 503 when the entry cannot be written; the action is not run then */
  async begin(note: AuditNote): Promise<string> {
    const entry = { method: 'POST' as const, path: '/internal/audit', body: note };
    const response = await this.client
      .request('accounts', entry, AuditNoteResponse)
      .catch((error: unknown) => this.refuse(error));
    return response?.id ?? this.refuse(new Error('the accounts service has no audit'));
  }

  /**
   * @returns null for an action that has no entry: it is beyond the bound of its account, or the accounts service is of the
   *   release before
   * @throws ApiError 503 when the entry cannot be written; the action is not run then
   */
  async beginForKey(note: KeyAuditNote): Promise<string | null> {
    const entry = { method: 'POST' as const, path: '/internal/audit/keys', body: note };
    const response = await this.client
      .request('accounts', entry, KeyAuditNoteResponse)
      .catch((error: unknown) => this.refuse(error));
    return response?.id ?? null;
  }

  /** The action has been run: an outcome that cannot be written stays unknown in the audit. */
  async end(id: string, status: number): Promise<void> {
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

  private refuse(error: unknown): never {
    this.logger.error(
      { event: 'audit.entry_failed', err: error },
      'writing an audit entry failed, action refused',
    );
    throw new ApiError(503, 'nothing was done: the audit cannot be written');
  }
}
