import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { DnsRecordVerdict, otherSlot, type SendingDomain } from '../database/entities.js';
import { DkimKeys } from '../dkim-keys/dkim-keys.repository.js';
import { KeyGeneration, type KeyPair } from '../dkim-keys/key-pairs.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import {
  domainAfterStep,
  nextRotationStep,
  type Observations,
  type RotationStep,
} from './dkim-rotation.rules.js';
import { RotationFactsStore } from './rotation-facts.js';
import { StandbyKeyLookup } from './standby-key-lookup.js';

interface Gathered extends Observations {
  pair?: KeyPair;
}

interface AdvanceRotationCommand {
  /** the domain when it became due */
  domain: SendingDomain;
  account: AccountSettings;
  clock: () => Date | Promise<Date>;
}

/** Advances the rotation of one domain: looks up or makes the input of the next step, then takes it. */
@Injectable()
export class AdvanceRotation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly keys: DkimKeys,
    private readonly facts: RotationFactsStore,
    private readonly generation: KeyGeneration,
    private readonly standbyKey: StandbyKeyLookup,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A kill at any point leaves the previous step, or the complete next one. */
  async execute({ domain: found, account, clock }: AdvanceRotationCommand): Promise<void> {
    const seen = await this.gather(found, account, await clock());
    const taken = await this.dataSource.transaction(async (tx) => {
      const before = await this.domains.lock(tx, found.id);
      if (!before) return undefined;
      const now = await clock();
      const facts = await this.facts.of(before, account, tx);
      const step = nextRotationStep(before, facts, seen, now);
      const after = domainAfterStep(before, step, now, seen.freshKey);
      await this.write(tx, { before, after, step, pair: seen.pair });
      return { after, step };
    });
    if (taken) this.log(taken.after, taken.step);
  }

  /** Look-ups and key pairs take long: they come before the transaction, which judges them by its current row. */
  private async gather(domain: SendingDomain, account: AccountSettings, now: Date): Promise<Gathered> {
    const facts = await this.facts.of(domain, account);
    const { needs } = nextRotationStep(domain, facts, {}, now);
    if (needs === 'standby') {
      const sight = await this.standbyKey.lookUp(domain, facts.standbyHost, account.records);
      return { standby: { at: now, ...sight } };
    }
    if (needs !== 'fresh-key') return {};
    const pair = await this.generation.make(domain.accountId);
    return { pair, freshKey: pair.publicKey };
  }

  private async write(
    tx: EntityManager,
    {
      before,
      after,
      step,
      pair,
    }: { before: SendingDomain; after: SendingDomain; step: RotationStep; pair: KeyPair | undefined },
  ): Promise<void> {
    if (step.move === 'switch') {
      await this.keys.activate(tx, after, after.updatedAt);
      await this.writeVerdicts(tx, after);
    }
    if (step.move === 'replace' && pair) {
      await this.keys.replace(tx, after, { ...pair, slot: otherSlot(after.activeSlot), own: false });
    }
    await this.domains.update(tx, before, after);
  }

  private async writeVerdicts(
    tx: EntityManager,
    { id: domainId, records, updatedAt: judgedAt }: SendingDomain,
  ) {
    const kinds = ['dkim', 'dkim_standby'] as const;
    const verdicts = kinds.flatMap((kind) => {
      const verdict = records[kind];
      return verdict ? [{ domainId, kind, judgedAt, ...verdict }] : [];
    });
    await tx.upsert(DnsRecordVerdict, verdicts, ['domainId', 'kind']);
  }

  private log({ id, domain, activeSlot }: SendingDomain, { move, reason, nextAt }: RotationStep): void {
    const line = {
      event: 'dkim_rotation.advanced',
      domain_id: id,
      domain,
      move,
      reason,
      active_slot: activeSlot,
      next_at: nextAt.toISOString(),
    };
    if (move === 'wait') this.logger.debug(line, 'DKIM rotation waits');
    else if (move === 'unverify' || move === 'abandon') this.logger.warn(line, 'DKIM rotation went back');
    else this.logger.info(line, 'DKIM rotation advanced');
  }
}
