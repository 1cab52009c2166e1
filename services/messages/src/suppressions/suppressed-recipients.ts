import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { MessageId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { withSuppressed, type SendRequest } from '../accept/send-request.rules.js';
import { suppressedAttempt, ATTEMPT_COLUMNS } from '../message-status/delivery-outcomes.rules.js';

/** Messages to suppressed recipients end at acceptance (spec 2-messages §8 rule 5). */
@Injectable()
export class SuppressedRecipients {
  /**
   * One statement for the requests of a whole group: a probe of the primary key per recipient. It takes no lock; a
   * later suppression is found before the first attempt.
   * @returns the requests to be stored
   */
  async end(tx: EntityManager, sendRequests: readonly SendRequest[]): Promise<readonly SendRequest[]> {
    // real suppressions are not read for the sandbox (spec 2-messages §10 rule 4)
    const real = sendRequests.filter(({ row }) => row.sandbox === null);
    const ids = await find(tx, real);
    if (ids.size === 0) return sendRequests;
    const ended = sendRequests.map((one) =>
      one.messages.some(({ id }) => ids.has(id)) ? withSuppressed(one, ids) : one,
    );
    const attempts = ended
      .flatMap(({ messages }) => messages)
      .filter(({ status }) => status === 'Suppressed')
      .map(({ id, createdAt }) => suppressedAttempt(id, createdAt));
    await insertRows(tx, 'delivery_attempts', ATTEMPT_COLUMNS, attempts);
    return ended;
  }
}

async function find(
  tx: EntityManager,
  sendRequests: readonly SendRequest[],
): Promise<ReadonlySet<MessageId>> {
  if (sendRequests.length === 0) return new Set();
  const given = sendRequests.flatMap(({ row, messages }) => messages.map((message) => ({ row, message })));
  const rows: { id: MessageId }[] = await tx.query(FIND, [
    given.map(({ message }) => message.id),
    given.map(({ message }) => message.accountId),
    given.map(({ row }) => row.domain),
    given.map(({ message }) => message.recipient),
  ]);
  return new Set(rows.map(({ id }) => id));
}

const FIND = `
  select given.id from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as given(id, account_id, domain, email)
  join suppressions s on s.account_id = given.account_id and s.domain = given.domain and s.email = given.email
  where s.expires_at > now()`;
