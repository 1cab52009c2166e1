import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Limit } from '@postmesh/concurrency';
import { ApiErrors, type OperationSpec } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ActiveKey } from '../api-keys/key-cache.js';
import { BUCKETS, type Buckets } from './buckets.js';
import { FailedAuthentications } from './failed-authentications.js';
import { peerOf } from './peer.rules.js';

// Requests that need no key, per peer: a page of the reference takes five.
const ANONYMOUS: Limit = { perSecond: 20, burst: 40 };

// Pages of links in messages, per peer: mailbox providers fetch the links of all their customers from a few addresses.
const PAGES: Limit = { perSecond: 100, burst: 400 };

// Sign-ins to the console, per peer: an office of people behind one address, not a machine.
const SIGN_INS: Limit = { perSecond: 0.2, burst: 20 };

// Sign-ups by one form: per peer, and of all peers.
const SIGN_UPS_OF_PEER: Limit = { perSecond: 0.1, burst: 20 };
const SIGN_UPS_OF_FORM: Limit = { perSecond: 2, burst: 200 };

type LimitedKey = Pick<ActiveKey, 'principal' | 'limits'>;

/** Maps requests to buckets (spec 1-platform §5). */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  readonly failures: FailedAuthentications;
  private readonly limits: Record<OperationSpec['rate'], Limit>;

  constructor(
    @Inject(BUCKETS) private readonly buckets: Buckets,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.failures = new FailedAuthentications(buckets);
    this.limits = {
      general: { perSecond: settings.rateGeneralPerSecond, burst: settings.rateGeneralBurst },
      statistics: { perSecond: settings.rateStatisticsPerSecond, burst: settings.rateStatisticsBurst },
    };
  }

  /**
   * One bucket for all keys of an account. The account's own limits are cached with the key, so
   * that a change applies to the next request.
   * @throws ApiError 429
   */
  async request(key: LimitedKey, rate: OperationSpec['rate']): Promise<void> {
    const limit = key.limits[rate] ?? this.limits[rate];
    refuseWhen(await this.buckets.take(`${rate}/${key.principal.account_id}`, limit));
  }

  /**
   * For a further operation of a request that has been let in: waits for its token, in turn with other requests of the
   * account.
   * @throws ApiError 429 when there is none until `deadline`, ms of `performance.now()`
   */
  async further(key: LimitedKey, rate: OperationSpec['rate'], deadline: number): Promise<void> {
    const limit = key.limits[rate] ?? this.limits[rate];
    for (;;) {
      const waitSeconds = await this.buckets.take(`${rate}/${key.principal.account_id}`, limit);
      if (waitSeconds === 0) return;
      if (performance.now() + waitSeconds * 1_000 > deadline) refuseWhen(waitSeconds);
      await setTimeout(waitSeconds * 1_000);
    }
  }

  /** For requests without a key. @throws ApiError 429 */
  async anonymous(clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`anonymous/${peerOf(clientIp)}`, ANONYMOUS));
  }

  /** For requests of links and sessions of the console. @throws ApiError 429 */
  async signIn(clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`sign-in/${peerOf(clientIp)}`, SIGN_INS));
  }

  /** For links with a valid token. @throws ApiError 429 */
  async pages(clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`pages/${peerOf(clientIp)}`, PAGES));
  }

  /** For sign-ups by a form, whose id is of a valid token. @throws ApiError 429 */
  async signUp(formId: string, clientIp: string): Promise<void> {
    refuseWhen(await this.buckets.take(`sign-up/${formId}/${peerOf(clientIp)}`, SIGN_UPS_OF_PEER));
    refuseWhen(await this.buckets.take(`sign-up/${formId}`, SIGN_UPS_OF_FORM));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.buckets.close();
  }
}

function refuseWhen(waitSeconds: number): void {
  if (waitSeconds > 0) throw ApiErrors.rateLimited(Math.ceil(waitSeconds));
}
