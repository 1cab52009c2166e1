import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { z } from 'zod';
import { endsWithin, pause, Signal } from '@postmesh/concurrency';
import { CacheLeaseResponse, type CacheLeaseRequest } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { momentNow, type LeasedCache } from './leased-cache.js';
import { RareWarning } from '../rare-warning.js';
import { AccessKeyCache, KeyCache, SessionCache } from '../api-keys/key-cache.js';
import { CredentialCache } from '../smtp/login/credential-cache.js';

const AFTER_FAILURE_MS = 200;
// A gateway without requests for this long lets its lease expire: the next request looks its key up, and brings a lease.
const IDLE_MS = 30_000;
// Any request ends the rest; this bounds a wait whose signal was lost.
const REST_MS = 600_000;
// A stop does not wait longer for a response to the release of the lease.
const STOP_MS = 1_500;

/** Renews the lease under which keys, sessions and credentials are served from memory, and applies the changes of each response. */
@Injectable()
export class CacheLease implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly instance = newId();
  private stopped = false;
  private readonly wanted = new Signal();
  private readonly caches: readonly Pick<LeasedCache<unknown, object>, 'apply' | 'idleMs' | 'onUnleased'>[];
  private running: Promise<void> = Promise.resolve();
  private readonly noLease: RareWarning;

  constructor(
    private readonly client: InternalClient,
    private readonly keyCache: KeyCache,
    sessionCache: SessionCache,
    accessKeyCache: AccessKeyCache,
    credentialCache: CredentialCache,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.caches = [keyCache.keys, sessionCache.keys, accessKeyCache.keys, credentialCache.credentials];
    for (const cache of this.caches) cache.onUnleased = () => this.wanted.raise();
    this.noLease = new RareWarning(
      logger,
      'key_cache.lease_missing',
      'no cache lease, every request looks up its key',
    );
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    this.wanted.close();
    await endsWithin(this.leave(), STOP_MS);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const asked = momentNow();
      try {
        const response = await this.ask();
        for (const cache of this.caches) cache.apply(response, asked);
      } catch (error) {
        if (!this.stopped) this.noLease.log(error);
        await pause(AFTER_FAILURE_MS);
      }
      await this.rest();
    }
  }

  /** Without a lease, a change of a key waits for this gateway no longer. */
  private async rest(): Promise<void> {
    const idle = () => this.caches.every(({ idleMs }) => idleMs >= IDLE_MS);
    this.wanted.lower();
    while (idle() && !this.stopped) await this.wanted.wait(REST_MS);
  }

  private async ask(): Promise<CacheLeaseResponse> {
    const body: CacheLeaseRequest = { instance: this.instance, acked_revision: this.keyCache.keys.acked };
    const request = { method: 'POST' as const, path: '/internal/cache-leases', body };
    const response = await this.client.request('accounts', request, CacheLeaseResponse);
    if (!response) throw new Error('the accounts service does not know cache leases');
    return response;
  }

  /** Releases the lease, so that no change waits for a stopped gateway. */
  private async leave(): Promise<void> {
    const request = { method: 'DELETE' as const, path: `/internal/cache-leases/${this.instance}` };
    await this.client
      .request('accounts', request, z.unknown())
      .catch((error: unknown) =>
        this.logger.debug(
          { event: 'key_cache.lease_not_released', err: error },
          'releasing the cache lease failed, it expires',
        ),
      );
    await this.running;
  }
}
