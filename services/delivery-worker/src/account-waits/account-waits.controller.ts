import { Controller, Get } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { AccountWaits } from '@postmesh/delivery-worker-contract';
import { Internal, uuidParam } from '@postmesh/service-host';
import { HeldMail } from './held-mail.js';

/** Mail of an account that waits for a provider, for the Home of its members. */
@Internal()
@Controller('internal/accounts')
export class AccountWaitsController {
  constructor(private readonly held: HeldMail) {}

  @Get(':account_id/waits')
  async read(@uuidParam('account_id') accountId: AccountId): Promise<AccountWaits> {
    return AccountWaits.parse({ waits: await this.held.of(accountId) });
  }
}
