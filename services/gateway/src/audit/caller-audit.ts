import { Injectable } from '@nestjs/common';
import { normaliseDomain, Uuid, type Principal } from '@postmesh/contracts';
import type { Exchange } from '../http-api/exchange.js';
import { AuditNotes } from './audit-notes.js';
import { isAudited, type Audited } from './audited-operations.rules.js';

/** Writes the actions of members and of API keys into the audit, where the service of the action has none (decision 131). */
@Injectable()
export class CallerAudit {
  constructor(private readonly notes: AuditNotes) {}

  /**
   * Begins the entry of an action; its outcome follows with the response.
   * @param params of the action, which a request in a dialect does not name
   * @throws ApiError 503 when it cannot be written; the action is not run then
   */
  async begin(
    exchange: Exchange,
    operation: Audited,
    caller: Principal,
    params: Exchange['params'] = exchange.params,
  ): Promise<void> {
    if (!isAudited(operation, caller.member ? 'member' : 'key')) return;
    const id = await this.enter(caller, { action: operation.id, subject_id: subjectOf(params) });
    if (id === null) return;
    const { response } = exchange;
    response.once('close', () => {
      // the outcome of a request whose client went away stays unknown
      if (response.headersSent) void this.notes.end(id, response.statusCode);
    });
  }

  private enter(
    { member, key_id, account_id }: Principal,
    what: { action: string; subject_id: string | null },
  ): Promise<string | null> {
    return member
      ? this.notes.begin({ operator: '', member: member.user_id, account_id, details: {}, ...what })
      : this.notes.beginForKey({ key_id, account_id, ...what });
  }
}

/** The id or the domain of the resource. An address of a person stays out: nothing is ever removed from the audit. */
function subjectOf({ account_id: _account, ...params }: Exchange['params']): string | null {
  const ids = Object.values(params).filter((value) => Uuid.safeParse(value).success);
  return ids.at(-1) ?? normaliseDomain(params['domain'] ?? '') ?? null;
}
