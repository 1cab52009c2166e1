import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { z } from 'zod';
import { endsWithin, pause } from '@postmesh/concurrency';
import { CacheLeaseResponse, type CacheLeaseRequest } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { momentNow } from './leased-cache.js';
import { RareWarning } from '../rare-warning.js';
import { KeyCache, SessionCache } from '../api-keys/key-cache.js';
import { CredentialCache } from '../smtp/login/credential-cache.js';

const AFTER_FAILURE_MS = 200;
// A stop does not wait longer for a response to the release of the lease.
const STOP_MS = 1_500;

/** Renews the lease under which keys, sessions and credentials are served from memory, and applies the changes of each response. */
@Injectable()
export class CacheLease implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly instance = newId();
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private readonly noLease: RareWarning;

  constructor(
    private readonly client: InternalClient,
    private readonly keyCache: KeyCache,
    private readonly sessionCache: SessionCache,
    private readonly credentialCache: CredentialCache,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
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
    await endsWithin(this.leave(), STOP_MS);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const asked = momentNow();
      try {
        const response = await this.ask();
        this.keyCache.keys.apply(response, asked);
        this.sessionCache.keys.apply(response, asked);
        this.credentialCache.credentials.apply(response, asked);
      } catch (error) {
        if (!this.stopped) this.noLease.log(error);
        await pause(AFTER_FAILURE_MS);
      }
    }
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
