import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { SuppressionsChanged } from '@postmesh/messages-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { BudgetRows } from '../warm-up/budget-rows.js';
import { complainedDomains, factsOfChanges } from './suppression-copy.rules.js';
import { SuppressionCopy } from './suppression-copy.js';

/** Keeps the copy of the suppression lists that claims use. */
@Controller()
export class OnSuppressionsChanged {
  constructor(
    private readonly copy: SuppressionCopy,
    private readonly budgets: BudgetRows,
  ) {}

  @Consumes(SuppressionsChanged, 'delivery-worker.suppression-changes')
  async handle(
    @Payload() events: EventOf<typeof SuppressionsChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    await this.copy.learn(tx, factsOfChanges(events));
    const complained = complainedDomains(events);
    if (complained.length > 0) await this.budgets.complained(tx, complained);
  }
}
