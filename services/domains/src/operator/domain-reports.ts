import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Repository } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DomainPause, SendingDomain } from '../database/entities.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { DomainErrors } from '../sending-domains/domain-errors.js';
import { localNotice } from '../sending-domains/domain-responses.js';
import { domainReport, type DomainReport } from './domain-report.rules.js';

/** Most accounts with one domain in a report. */
const MAX_ACCOUNTS = 50;
const MAX_PAUSES = 200;

export interface DomainReportList {
  domain: string;
  /** oldest first */
  data: DomainReport[];
  /** further accounts have it */
  has_more: boolean;
  /** a warning about the reliability of the rest; local mode only */
  notice?: string;
}

/** All data of a domain, for the operator. */
@Injectable()
export class DomainReports {
  constructor(
    @InjectRepository(SendingDomain) private readonly domains: Repository<SendingDomain>,
    @InjectRepository(DomainPause) private readonly pauses: Repository<DomainPause>,
    private readonly accounts: AccountSettingsStore,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param accountId only of this account
   * @throws ApiError 404 when no account has it
   */
  async of(domain: string, accountId?: AccountId): Promise<DomainReportList> {
    const found = await this.domains.find({
      where: { domain, ...(accountId === undefined ? {} : { accountId }) },
      order: { createdAt: 'asc', id: 'asc' },
      take: MAX_ACCOUNTS + 1,
    });
    if (found.length === 0) throw DomainErrors.notFound();
    const shown = found.slice(0, MAX_ACCOUNTS);
    const accountIds = shown.map((item) => item.accountId);
    const [settingsOf, pauses] = await Promise.all([
      this.accounts.ofMany(accountIds),
      this.pauses.find({
        where: { domain, accountId: Any(accountIds) },
        order: { pausedAt: 'desc', id: 'desc' },
        take: MAX_PAUSES,
      }),
    ]);
    const data = shown.map((item) => {
      const own = pauses.filter((pause) => pause.accountId === item.accountId);
      return domainReport(item, settingsOf(item.accountId), own);
    });
    const notice = localNotice(this.settings);
    return {
      domain,
      data,
      has_more: found.length > MAX_ACCOUNTS,
      ...(notice === undefined ? {} : { notice }),
    };
  }
}
