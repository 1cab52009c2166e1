import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ApiResponse } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import { Idempotency } from '@postmesh/idempotency';
import type { ApiCall } from '@postmesh/service-host';
import { monthlyLimitReached } from '../usage/credit.rules.js';
import { UsageCounter } from '../usage/usage-counter.js';
import { isCapped, type CreditFacts, type UsageClaim } from '../usage/usage.rules.js';
import { SendRequestStore } from './send-request-store.js';
import type { SendRequest } from './send-request.rules.js';

export interface Waiting extends SendRequest {
  call: Pick<ApiCall, 'ended'>;
  response: ApiResponse;
  /** of the account; null when nothing is counted (sandbox) */
  credit: CreditFacts | null;
}

// A group is some ten milliseconds of Postgres: rows count one each, content one per 64 KiB.
const MAX_GROUP_WEIGHT = 1_000;
const CONTENT_UNIT_BYTES = 65_536;

/**
 * Stores accepted requests durably: content, rows, answer, usage and event of all requests that arrived together
 * in one commit (architecture §1, §3.8).
 */
@Injectable()
export class SendRequestWriter {
  private readonly group: GroupCommit<Waiting, boolean>;
  /** accounts with a limit lock their family until the commit: nobody else is to wait for that */
  private readonly cappedGroup: GroupCommit<Waiting, boolean>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    private readonly idempotency: Idempotency,
    private readonly usage: UsageCounter,
  ) {
    const options = {
      maxWeight: MAX_GROUP_WEIGHT,
      maxPending: 10_000,
      weightOf: ({ messages, content }: Waiting) =>
        3 + messages.length + Math.ceil(content.bytes.length / CONTENT_UNIT_BYTES),
    };
    this.group = new GroupCommit((items) => this.commit(items), { ...options, flushers: 2 });
    this.cappedGroup = new GroupCommit((items) => this.commit(items), { ...options, flushers: 1 });
  }

  /**
   * Resolves after the commit: from then on the request is a promise.
   * @throws ApiError 403 when it would pass the credit of the account or its family; nothing of it is stored then
   */
  async write(waiting: Waiting): Promise<void> {
    const capped = waiting.credit !== null && isCapped(waiting.credit);
    const admitted = await (capped ? this.cappedGroup : this.group).add(waiting);
    if (!admitted) throw monthlyLimitReached();
  }

  /** @returns which of them fit into their credit and are stored */
  private async commit(items: readonly Waiting[]): Promise<boolean[]> {
    await this.store.putContents(items);
    const admitted = await this.usage.withSlot((slot) =>
      this.dataSource.transaction(async (manager) => {
        const fits = await this.admit(manager, items);
        const accepted = items.filter((item) => fits.get(item) !== false);
        await this.store.insert(manager, accepted);
        await this.usage.count(manager, accepted.flatMap(toClaim), slot);
        const ended = accepted
          .map(({ call, response }) => call.ended(response))
          .filter((one) => one !== undefined);
        if (ended.length > 0) await this.idempotency.completeMany(manager, ended);
        return items.map((item) => fits.get(item) !== false);
      }),
    );
    await this.store.dropContents(items.filter((_, index) => !admitted[index]));
    return admitted;
  }

  private async admit(
    manager: EntityManager,
    items: readonly Waiting[],
  ): Promise<ReadonlyMap<Waiting, boolean>> {
    const capped = items.filter(({ credit }) => credit !== null && isCapped(credit));
    const fits = await this.usage.admit(manager, capped.flatMap(toClaim));
    return new Map(capped.map((item, index) => [item, fits[index] === true]));
  }
}

function toClaim({ credit, row, messages }: Waiting): UsageClaim[] {
  if (credit === null) return [];
  return [{ accountId: row.account_id, credit, count: messages.length, at: row.created_at }];
}
