import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Ending } from '@postmesh/work';
import { Outbox } from '@postmesh/events';
import { AttemptLog } from '../attempt/attempt-log.js';
import type { MadeAttempt } from '../attempt/delivery-attempt.js';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import { abandoned, endingOf, setAside, toEvent } from './attempt-record.rules.js';

/**
 * Records attempts: the state of deliveries and the events of all attempts that ended together in one commit. The event
 * is the only record of an attempt: the messages service stores and shows it.
 */
@Injectable()
export class AttemptRecorder {
  constructor(
    private readonly outbox: Outbox,
    private readonly log: AttemptLog,
  ) {}

  /**
   * @param settle ends or releases the rows whose lease is still ours; a lost lease writes nothing
   * @returns for each attempt whether its lease was still ours
   */
  async record(
    manager: EntityManager,
    made: readonly Pick<MadeAttempt, 'record'>[],
    settle: (endings: readonly Ending<ClaimedDelivery>[]) => Promise<boolean[]>,
  ): Promise<boolean[]> {
    const own = await settle(made.map(({ record }) => endingOf(record)));
    const published = made.filter(({ record }, nth) => own[nth] && !record.isSilent);
    await this.outbox.add(
      manager,
      published.map(({ record }) => toEvent(record)),
    );
    return own;
  }

  /** A dead worker had these in flight: it is unknown whether they arrived, and they are tried again. */
  async recordAbandoned(manager: EntityManager, deliveries: readonly ClaimedDelivery[]): Promise<void> {
    const records = deliveries.map(abandoned).filter(({ isSilent }) => !isSilent);
    await this.outbox.add(manager, records.map(toEvent));
    this.log.abandoned(records.map(({ delivery }) => delivery));
  }

  /** Ends deliveries that crashed one worker after the other. */
  async recordSetAside(manager: EntityManager, deliveries: readonly ClaimedDelivery[]): Promise<void> {
    const records = deliveries.map(setAside).filter(({ isSilent }) => !isSilent);
    await this.outbox.add(manager, records.map(toEvent));
    this.log.setAside(deliveries);
  }
}
