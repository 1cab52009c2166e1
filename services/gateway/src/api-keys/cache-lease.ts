import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { CacheLeaseResponse, newId, type CacheLeaseRequest } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { KeyCache } from './key-cache.js';

const AFTER_FAILURE_MS = 200;
const COMPLAIN_EVERY_MS = 10_000;
// A stop does not wait for a question that nobody answers.
const STOP_MS = 1_500;

/** Keeps asking for the lease under which the KeyCache serves, and applies what it is told. */
@Injectable()
export class CacheLease implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly instance = newId();
  private stopped = false;
  private running: Promise<void> = Promise.resolve();
  private complainedAt = -COMPLAIN_EVERY_MS;

  constructor(
    private readonly client: InternalClient,
    private readonly cache: KeyCache,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    const gone = new AbortController();
    await Promise.race([this.leave(), delay(STOP_MS, undefined, { signal: gone.signal })]);
    gone.abort();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const askedAt = performance.now();
      try {
        this.cache.apply(await this.ask(), askedAt);
      } catch (error) {
        this.complain(error);
        await delay(AFTER_FAILURE_MS);
      }
    }
  }

  private async ask(): Promise<CacheLeaseResponse> {
    const body: CacheLeaseRequest = { instance: this.instance, acked_revision: this.cache.acked };
    const request = { method: 'POST' as const, path: '/internal/cache-leases', body };
    const response = await this.client.request('accounts', request, CacheLeaseResponse);
    if (!response) throw new Error('the accounts service does not know cache leases');
    return response;
  }

  /** So that no change waits for a gateway that is gone. */
  private async leave(): Promise<void> {
    const request = { method: 'DELETE' as const, path: `/internal/cache-leases/${this.instance}` };
    await this.client
      .request('accounts', request, z.unknown())
      .catch((error: unknown) =>
        this.logger.debug({ err: error }, 'cache lease not given up; it ends by itself'),
      );
    await this.running;
  }

  private complain(error: unknown): void {
    const now = performance.now();
    if (this.stopped || now - this.complainedAt < COMPLAIN_EVERY_MS) return;
    this.complainedAt = now;
    this.logger.warn({ err: error }, 'no cache lease: API keys are looked up with every request');
  }
}
