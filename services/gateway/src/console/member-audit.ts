import { Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import { AuditNotes } from '../audit/audit-notes.js';
import type { Exchange } from '../http-api/exchange.js';
import type { RoutedOperation } from '../http-api/operation-router.js';

/** Writes the actions of members in the console into the audit, where the service of the action has none. */
@Injectable()
export class MemberAudit {
  constructor(private readonly notes: AuditNotes) {}

  /**
   * Begins the entry of an action; its outcome follows with the response.
   * @throws ApiError 503 when it cannot be written; the action is not run then
   */
  async begin(
    exchange: Exchange,
    operation: RoutedOperation,
    { member, account_id }: Principal,
  ): Promise<void> {
    if (!member || !isAudited(operation)) return;
    const { account_id: _account, ...subjects } = exchange.params;
    const id = await this.notes.begin({
      operator: '',
      member: member.user_id,
      action: operation.id,
      account_id,
      subject_id: shortened(Object.values(subjects).at(-1)),
      details: {},
    });
    const { response } = exchange;
    response.once('close', () => {
      // the outcome of a request whose client went away stays unknown
      if (response.headersSent) void this.notes.end(id, response.statusCode);
    });
  }
}

/** The accounts service audits changes itself. A preview is a POST that reads. */
const isAudited = ({ method, service, scope }: RoutedOperation): boolean =>
  method !== 'GET' &&
  service !== 'accounts' &&
  !(scope.kind === 'static' && scope.scopes.every((one) => one.endsWith(':read')));

/** PostgreSQL stores no NUL, and an address in a path has up to 254 characters. */
const shortened = (text: string | undefined): string | null =>
  text === undefined ? null : text.replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd').slice(0, 200);
