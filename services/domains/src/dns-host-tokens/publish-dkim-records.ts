import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { Periodic } from '@postmesh/work';
import type { DnsHostToken } from '../database/entities.js';
import type { PlannedRecord } from './dns-changes.rules.js';
import { DnsHostTokens } from './dns-host-tokens.repository.js';
import { PublishRecords } from './publish-records.js';

const BATCH = 20;
/** of one zone, each time */
const MAX_DOMAINS = 20;
// Longer than the domains of a zone take; the zones of a dead process are taken up after this.
const LEASE_S = 900;
const WAIT_S = 60;
/** after a failure, and while nothing can be written */
const LONG_WAIT_S = 3_600;

const isDkim = ({ record: { kind } }: PlannedRecord): boolean => kind === 'dkim' || kind === 'dkim_standby';

/**
 * Where the owner allows it, the DKIM records that a rotation waits for are written without a request: the alias of the standby
 * key, a new selector, the new key of a domain with manual DNS. `rotation_next_at` is the truth; the job only triggers the query.
 */
@Injectable()
export class PublishDkimRecords {
  constructor(
    private readonly tokens: DnsHostTokens,
    private readonly publish: PublishRecords,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Periodic({ name: 'publish-dkim-records', everyMs: 30_000, timeoutMs: 300_000 })
  async sweep(signal?: AbortSignal): Promise<void> {
    for (const token of await this.tokens.claimForRotation(BATCH, LEASE_S)) {
      if (signal?.aborted) return;
      await this.publishIn(token, signal);
    }
  }

  /** A failure delays no other zone. */
  private async publishIn(token: DnsHostToken, signal?: AbortSignal): Promise<void> {
    try {
      let problem: string | null = null;
      for (const domain of await this.tokens.withoutDkim(token, MAX_DOMAINS)) {
        if (signal?.aborted || problem !== null) break;
        problem = await this.problemOf(token, domain);
      }
      await this.tokens.rotationEnded(token, problem, problem === null ? WAIT_S : LONG_WAIT_S);
    } catch (error) {
      const line = { event: 'dns_host.rotation_failed', account_id: token.accountId, err: error };
      this.logger.error(line, 'writing DKIM records at a DNS host failed, will retry');
    }
  }

  private async problemOf({ id, accountId }: DnsHostToken, domain: string): Promise<string | null> {
    const nearest = await this.tokens.nearest(accountId, domain);
    if (nearest?.id !== id) return null;
    try {
      const { trouble } = await this.publish.write({ accountId, domain, digest: undefined }, isDkim);
      return trouble?.message ?? null;
    } catch (error) {
      // deleted meanwhile, or a member writes
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}
