import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type AccountId, type ApiResponse } from '@postmesh/contracts';
import { AccountWaits } from '@postmesh/delivery-worker-contract';
import { InternalClient } from '@postmesh/http';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { UsageCounter } from '../usage/usage-counter.js';
import type { SendingState } from './sending-state.schema.js';

/** Obstacles of the mail of an account, for its Home in the console. */
@Controller()
export class SendingStateController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly usage: UsageCounter,
    private readonly client: InternalClient,
  ) {}

  @Operation('sending-state.get')
  async read(@Call() { accountId, principal: { account } }: ApiCall): Promise<ApiResponse> {
    const at = new Date();
    const claim = { accountId, credit: account, count: 0, at };
    const [credits, waits] = await Promise.all([
      this.usage.credits(this.dataSource.manager, claim),
      this.waits(accountId),
    ]);
    const until = nextMonth(at).toISOString();
    const state: SendingState = {
      object: 'sending_state',
      suspended: account.status !== 'active',
      credits: credits.map((credit) => ({ ...credit, until })),
      waits: waits?.waits ?? [],
      complete: waits !== undefined,
    };
    return apiResponse(200, state);
  }

  /** @returns undefined when the worker is unavailable */
  private waits(accountId: AccountId): Promise<AccountWaits | undefined> {
    const path = `/internal/accounts/${accountId}/waits`;
    return this.client
      .request('delivery-worker', { method: 'GET', path }, AccountWaits)
      .catch(() => undefined);
  }
}

/** The credit is of a calendar month, UTC. */
const nextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
