import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Jobs } from '@postmesh/jobs';
import type { Logger } from '@postmesh/observability';
import { JOBS, LOGGER } from '@postmesh/service-host';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { CheckDomain } from '../check-dns/check-domain.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { DueDomains } from './due-domains.js';
import { RECHECK_DUE } from './recheck-due.job.js';

// Checks wait for the network: many at once, each with a handful of look-ups.
const AT_ONCE = 20;
const BATCH = 100;

/** The background checks. The row's `next_check_at` is the truth; the job only says when to look. */
@Injectable()
export class RecheckDomains implements OnApplicationBootstrap {
  constructor(
    private readonly due: DueDomains,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly checkDomain: CheckDomain,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(RECHECK_DUE, (signal) => this.sweep(signal));
  }

  /** Checks what is due until nothing is. */
  async sweep(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const ids = await this.due.claim(BATCH);
      await this.checkAll(ids, signal);
      if (ids.length < BATCH || signal?.aborted) return;
    }
  }

  private async checkAll(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    const domains = await this.domains.findMany(ids);
    const accountOf = await this.accounts.ofMany(domains.map((domain) => domain.account_id));
    const queue = [...domains];
    const work = async () => {
      for (let domain = queue.shift(); domain && !signal?.aborted; domain = queue.shift()) {
        await this.checkOne(domain, accountOf);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
  }

  /** One domain's trouble keeps no other from its check; this one comes back when its claim runs out. */
  private async checkOne(
    domain: SendingDomain,
    accountOf: Awaited<ReturnType<AccountSettingsStore['ofMany']>>,
  ): Promise<void> {
    try {
      await this.checkDomain.execute(domain, accountOf(domain.account_id), 'background');
    } catch (error) {
      this.logger.error({ err: error, domain_id: domain.id }, 'background check failed');
    }
  }
}
