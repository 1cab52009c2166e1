import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SuppressionsChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { factsOfChanges } from './suppression-copy.rules.js';
import { SuppressionCopy } from './suppression-copy.js';

/** Keeps the copy of the suppression lists by which claims go. */
@Injectable()
export class OnSuppressionsChanged implements Consumer<typeof SuppressionsChanged> {
  constructor(private readonly copy: SuppressionCopy) {}

  @Consumes(SuppressionsChanged, 'delivery-worker.suppression-changes')
  async handle(tx: EntityManager, events: EventOf<typeof SuppressionsChanged>[]): Promise<void> {
    await this.copy.learn(tx, factsOfChanges(events));
  }
}
