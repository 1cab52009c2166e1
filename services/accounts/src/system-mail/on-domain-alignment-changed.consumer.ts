import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EventOf } from '@postmesh/contracts';
import { DomainAlignmentChanged } from '@postmesh/messages-contract';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { alignmentFallen } from './notices.rules.js';

/** One message for each domain that fell (decision 150). Home of the console shows what is as before again. */
@Controller()
export class OnDomainAlignmentChanged {
  constructor(private readonly notices: Notices) {}

  @Consumes(DomainAlignmentChanged, 'accounts.notify-of-fallen-alignment')
  async handle(
    @Payload() events: EventOf<typeof DomainAlignmentChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    const fallen = events.flatMap(({ data, account_id }) =>
      data.change === 'fallen' && account_id ? [{ data: { ...data, account_id } }] : [],
    );
    await this.notices.send(tx, fallen, (name, some) =>
      some.map((event) => alignmentFallen(name, event.data)),
    );
  }
}
