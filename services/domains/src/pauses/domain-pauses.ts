import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { DomainPause, type PauseReason, type SendingDomain } from '../database/entities.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';

/** Reason and author of a pause. */
export interface PauseCause {
  reason: PauseReason;
  /** `automatic`, the name of an operator, or `member <user id>` */
  by: string;
  /** a note of the operator */
  note?: string;
  /** the figures behind an automatic pause */
  figures?: { delivered: number; bounced: number };
}

// a row of an older release without these columns
const UNKNOWN = 'unknown';

/** Pauses and lifts, each with its entry in the history; `DomainChanged` publishes them to other services. */
@Injectable()
export class DomainPauses {
  constructor(private readonly domains: SendingDomains) {}

  /**
   * A pause of the owner gives way to any other, which the owner cannot lift.
   * @param before locked in this transaction
   * @returns the domain, unchanged where it is paused already
   */
  async pause(tx: EntityManager, before: SendingDomain, cause: PauseCause): Promise<SendingDomain> {
    const isOwners = before.pauseReason === 'owner' && cause.reason !== 'owner';
    if (before.pausedAt !== null && !isOwners) return before;
    const now = new Date();
    await this.end(tx, before, { by: isOwners ? cause.by : UNKNOWN, at: now });
    await tx.insert(DomainPause, {
      ...entryOf(before, cause.by),
      pausedAt: now,
      reason: cause.reason,
      note: cause.note ?? null,
      ...cause.figures,
    });
    return this.store(tx, before, { pausedAt: now, pauseReason: cause.reason, updatedAt: now });
  }

  /**
   * @param before locked in this transaction
   * @returns the domain, unchanged where it is not paused
   */
  async lift(tx: EntityManager, before: SendingDomain, by: string): Promise<SendingDomain> {
    if (before.pausedAt === null) return before;
    const now = new Date();
    const isEnded = await this.end(tx, before, { by, at: now });
    // bounces before the lift do not count again, whichever release wrote the pause
    if (!isEnded) await tx.insert(DomainPause, { ...unknownEntry(before), liftedAt: now, liftedBy: by });
    return this.store(tx, before, { pausedAt: null, pauseReason: null, updatedAt: now });
  }

  /** @returns whether an entry was in force */
  private async end(
    tx: EntityManager,
    { id: domainId }: SendingDomain,
    { by, at }: { by: string; at: Date },
  ): Promise<boolean> {
    const lasting = { domainId, liftedAt: IsNull() };
    const { affected } = await tx.update(DomainPause, lasting, { liftedAt: at, liftedBy: by });
    return affected === 1;
  }

  private async store(
    tx: EntityManager,
    before: SendingDomain,
    change: Pick<SendingDomain, 'pausedAt' | 'pauseReason' | 'updatedAt'>,
  ): Promise<SendingDomain> {
    const after = { ...before, ...change, revision: before.revision + 1 };
    await this.domains.update(tx, before, after);
    return after;
  }
}

const entryOf = ({ id: domainId, accountId, domain }: SendingDomain, pausedBy: string) => ({
  id: newId(),
  accountId,
  domainId,
  domain,
  pausedBy,
});

const unknownEntry = (domain: SendingDomain) => ({
  ...entryOf(domain, UNKNOWN),
  pausedAt: domain.pausedAt ?? domain.updatedAt,
  reason: (domain.pauseReason ?? 'bounce_rate') as PauseReason,
});
