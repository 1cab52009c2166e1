import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Principal } from '@postmesh/contracts';
import type { SendingDomain } from '../database/entities.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { untilFactsExpire } from '../domain-store/until-facts-expire.js';
import { DomainPauses } from '../pauses/domain-pauses.js';
import { DomainErrors, requireActive } from './domain-errors.js';
import type { DomainResult } from './domain.resource.js';

interface HoldDomainCommand {
  /** of a member */
  principal: Principal;
  /** normalised */
  domain: string;
}

/** An account pauses its own domain, and lifts that pause again; it lifts no other. */
@Injectable()
export class HoldDomain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly pauses: DomainPauses,
  ) {}

  /** Every request after the answer sees the pause. @throws ApiError 403, 404 */
  pause(command: HoldDomainCommand): Promise<DomainResult> {
    const by = authorOf(command);
    return this.change(command, (tx, before) => this.pauses.pause(tx, before, { reason: 'owner', by }));
  }

  /** @throws ApiError 403 for a pause of another origin, 404 */
  resume(command: HoldDomainCommand): Promise<DomainResult> {
    return this.change(command, async (tx, before) => {
      if (before.pausedAt !== null && before.pauseReason !== 'owner') throw DomainErrors.notOwnersPause();
      return this.pauses.lift(tx, before, authorOf(command));
    });
  }

  private async change(
    { principal, domain: name }: HoldDomainCommand,
    run: (tx: EntityManager, before: SendingDomain) => Promise<SendingDomain>,
  ): Promise<DomainResult> {
    const found = await this.domains.find(principal.account_id, name);
    if (!found) throw DomainErrors.notFound();
    requireActive(principal);
    const { before, after } = await this.dataSource.transaction(async (tx) => {
      const locked = await this.domains.lock(tx, found.id);
      if (!locked) throw DomainErrors.notFound();
      return { before: locked, after: await run(tx, locked) };
    });
    await untilFactsExpire(before, after);
    const { records } = await this.accounts.of(principal.account_id);
    return { domain: after, records };
  }
}

const authorOf = ({ principal: { member } }: HoldDomainCommand): string =>
  `member ${member?.user_id ?? 'unknown'}`;
