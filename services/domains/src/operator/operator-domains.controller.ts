import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import type { AccountId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { body, Internal, LOGGER, OperatorName, uuidParam } from '@postmesh/service-host';
import { LOCKABLE_FIELDS, type SendingDomain } from '../database/entities.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { untilFactsExpire } from '../domain-store/until-facts-expire.js';
import { DomainPauses } from '../pauses/domain-pauses.js';
import { DOMAIN_NAME, DomainErrors } from '../sending-domains/domain-errors.js';
import { DomainReports, type DomainReportList } from './domain-reports.js';
import { isLocked } from './domain-report.rules.js';

const MAX_REASON_LENGTH = 500;
const PauseBody = z.object({ reason: z.string().trim().min(1).max(MAX_REASON_LENGTH) });
const UnlockBody = z.object({ fields: z.array(z.enum(LOCKABLE_FIELDS)).min(1).max(LOCKABLE_FIELDS.length) });

/** A domain of an account in a path. */
interface Named {
  accountId: AccountId;
  /** normalised */
  domain: string;
}

/** Reports and actions of an operator for a sending domain (spec 1-platform §11.6 rule 1, §11.8). */
@Internal()
@Controller('operator')
export class OperatorDomainsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly pauses: DomainPauses,
    private readonly reports: DomainReports,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The domain in every account that has it. */
  @Get('domains/:domain')
  get(@Param('domain', DOMAIN_NAME) domain: string): Promise<DomainReportList> {
    return this.reports.of(domain);
  }

  /** A domain that is paused already stays unchanged. */
  @Post('accounts/:account_id/domains/:domain/pause')
  @HttpCode(200)
  pause(
    @OperatorName() by: string,
    @uuidParam('account_id') accountId: AccountId,
    @Param('domain', DOMAIN_NAME) domain: string,
    @Body(body(PauseBody)) { reason: note }: z.infer<typeof PauseBody>,
  ): Promise<DomainReportList> {
    return this.change({ accountId, domain }, 'domain.paused', (tx, before) =>
      this.pauses.pause(tx, before, { reason: 'operator', by, note }),
    );
  }

  @Post('accounts/:account_id/domains/:domain/unpause')
  @HttpCode(200)
  unpause(
    @OperatorName() by: string,
    @uuidParam('account_id') accountId: AccountId,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<DomainReportList> {
    return this.change({ accountId, domain }, 'domain.unpaused', (tx, before) =>
      this.pauses.lift(tx, before, by),
    );
  }

  /** Each field may be changed once more by the domain's owner. */
  @Post('accounts/:account_id/domains/:domain/unlock')
  @HttpCode(200)
  unlock(
    @uuidParam('account_id') accountId: AccountId,
    @Param('domain', DOMAIN_NAME) domain: string,
    @Body(body(UnlockBody)) { fields }: z.infer<typeof UnlockBody>,
  ): Promise<DomainReportList> {
    return this.change({ accountId, domain }, 'domain.unlocked', async (tx, before) => {
      const unlocked = LOCKABLE_FIELDS.filter(
        (field) => before.unlocked.includes(field) || (fields.includes(field) && isLocked(before, field)),
      );
      const after = { ...before, unlocked, updatedAt: new Date(), revision: before.revision + 1 };
      await this.domains.update(tx, before, after);
      return after;
    });
  }

  private async change(
    { accountId, domain }: Named,
    event: string,
    run: (tx: EntityManager, before: SendingDomain) => Promise<SendingDomain>,
  ): Promise<DomainReportList> {
    const found = await this.domains.find(accountId, domain);
    if (!found) throw DomainErrors.notFound();
    const { before, after } = await this.dataSource.transaction(async (tx) => {
      const locked = await this.domains.lock(tx, found.id);
      if (!locked) throw DomainErrors.notFound();
      return { before: locked, after: await run(tx, locked) };
    });
    await untilFactsExpire(before, after);
    this.logger.info(
      { event, account_id: accountId, domain_id: found.id, domain },
      'operator changed a domain',
    );
    return this.reports.of(domain, accountId);
  }
}
