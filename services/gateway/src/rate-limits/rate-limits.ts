import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Limit } from '@postmesh/concurrency';
import { ApiErrors, type OperationSpec } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ActiveKey } from '../api-keys/key-cache.js';
import { BUCKETS, type Buckets } from './buckets.js';

// Requests that fail authentication, per client IP (spec 1-platform §5 rule 5).
const FAILED_AUTHENTICATION: Limit = { perSecond: 20, burst: 40 };

// Requests that need no key, per client IP: a page of the reference takes five.
const ANONYMOUS: Limit = { perSecond: 20, burst: 40 };

// Unsubscribe links, per client IP: mailbox providers follow those of all their customers from a few addresses.
const UNSUBSCRIBING: Limit = { perSecond: 100, burst: 400 };

type LimitedKey = Pick<ActiveKey, 'principal' | 'limits'>;

/** Which requests share which bucket (spec 1-platform §5). */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  private readonly limits: Record<OperationSpec['rate'], Limit>;

  constructor(
    @Inject(BUCKETS) private readonly buckets: Buckets,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.limits = {
      general: { perSecond: settings.rateGeneralPerSecond, burst: settings.rateGeneralBurst },
      statistics: { perSecond: settings.rateStatisticsPerSecond, burst: settings.rateStatisticsBurst },
    };
  }

  /**
   * One bucket for all keys of an account. Limits that the operator gave the account come with the key, so
   * that a change counts in the next request.
   * @throws ApiError 429
   */
  async request(key: LimitedKey, rate: OperationSpec['rate']): Promise<void> {
    const limit = key.limits[rate] ?? this.limits[rate];
    refuseWhen(await this.buckets.take(`${rate}/${key.principal.account_id}`, limit));
  }

  /** To be called when authentication failed. @throws ApiError 429 instead of the 401 */
  async failedAuthentication(clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`failed-authentication/${clientIp}`, FAILED_AUTHENTICATION));
  }

  /** For what needs no key. @throws ApiError 429 */
  async anonymous(clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`anonymous/${clientIp}`, ANONYMOUS));
  }

  /** For who has a link that was signed. @throws ApiError 429 */
  async unsubscribing(clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`unsubscribing/${clientIp}`, UNSUBSCRIBING));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.buckets.close();
  }
}

function refuseWhen(waitSeconds: number): void {
  if (waitSeconds > 0) throw ApiErrors.rateLimited(Math.ceil(waitSeconds));
}
