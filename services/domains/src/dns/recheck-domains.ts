import { Inject, Injectable } from '@nestjs/common';
import { eachBounded } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { SendingDomain } from '../database/entities.js';
import { AccountSettingsStore, type AccountSettings } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { CheckDomain } from './check-domain.js';

// Checks wait for the network: many at once, each with a handful of look-ups.
const MAX_AT_ONCE = 20;
const BATCH = 100;
// Behind name servers that do not answer, the domains of one account take a quarter of the checks.
const OF_ACCOUNT = 5;
// Longer than any check takes; the domains of a dead process are checked after this.
const LEASE_S = 300;

/** Background checks (spec 1-platform §11.4 rule 7). `next_check_at` is the truth; the job only triggers the query. */
@Injectable()
export class RecheckDomains {
  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly checkDomain: CheckDomain,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Checks due domains until none is left. */
  @Periodic({ name: 'recheck-due', everyMs: 15_000, timeoutMs: 120_000 })
  async sweep(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const domains = await this.domains.claimDue(BATCH, OF_ACCOUNT, LEASE_S);
      if (domains.length === 0) return;
      await this.checkAll(domains, signal);
    }
  }

  private async checkAll(domains: readonly SendingDomain[], signal?: AbortSignal): Promise<void> {
    const accountOf = await this.accounts.ofMany(domains.map(({ accountId }) => accountId));
    await eachBounded(domains, MAX_AT_ONCE, async (domain) => {
      if (!signal?.aborted) await this.checkOne(domain, accountOf(domain.accountId));
    });
  }

  /** A failure delays no other domain; this one is retried when its lease expires. */
  private async checkOne(domain: SendingDomain, account: AccountSettings): Promise<void> {
    try {
      await this.checkDomain.execute({ domain, account, source: 'background' });
    } catch (error) {
      const line = { event: 'domain.check_failed', domain_id: domain.id, err: error };
      this.logger.error(line, 'background check of a domain failed, will retry');
    }
  }
}
