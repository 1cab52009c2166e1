import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { AccountChanged, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { CancelOpenMessages } from './cancel-open-messages.js';

/** Notes accounts that were deleted. There is no way back, so order and repetition do not matter. */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly dataSource: DataSource,
    private readonly canceling: CancelOpenMessages,
  ) {}

  @Hears(AccountChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const deleted = events
      .map((event) => AccountChanged.parse(event).data)
      .filter(({ state }) => state === 'deleted')
      .map(({ account_id }) => account_id);
    if (deleted.length === 0) return;
    await this.dataSource.query(
      'insert into deleted_accounts (account_id) select distinct unnest($1::uuid[]) on conflict do nothing',
      [deleted],
    );
    this.canceling.wake();
  }
}
