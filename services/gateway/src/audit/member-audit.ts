import { Injectable } from '@nestjs/common';
import { normaliseDomain, Uuid, type Principal } from '@postmesh/contracts';
import { AuditNotes } from './audit-notes.js';
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
    const id = await this.notes.begin({
      operator: '',
      member: member.user_id,
      action: operation.id,
      account_id,
      subject_id: subjectOf(exchange.params),
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

/** The id or the domain of the resource. An address of a person stays out: nothing is ever removed from the audit. */
function subjectOf({ account_id: _account, ...params }: Exchange['params']): string | null {
  const ids = Object.values(params).filter((value) => Uuid.safeParse(value).success);
  return ids.at(-1) ?? normaliseDomain(params['domain'] ?? '') ?? null;
}
