import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { z } from 'zod';
import type { KeyUses as KeyUsesReport, Rehash } from '@postmesh/accounts-contract';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { ActiveKey } from './key-cache.js';

// The first use of a key is written within 10 seconds, later ones every five minutes
// (spec 1-platform §2.1 rule 5).
const REPORT_INTERVAL_MS = 5_000;
const PER_KEY_MS = 300_000;
const MAX_PER_REPORT = 10_000;

interface Use {
  at: number;
  rehash: Rehash | undefined;
  isSession: boolean;
}

/** Records the last use of each key and session, and reports the uses to the accounts service in batches. */
@Injectable()
export class KeyUses implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly uses = new Map<string, Use>();
  private timer: NodeJS.Timeout | undefined;
  private reporting: Promise<void> | undefined;

  constructor(
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.report(), REPORT_INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.reporting;
    await this.report();
  }

  record(key: ActiveKey, nowMs: number = Date.now()): void {
    if (key.lastReportedUse !== undefined && nowMs - key.lastReportedUse < PER_KEY_MS) return;
    key.lastReportedUse = nowMs;
    const { key_id: id, member } = key.principal;
    this.uses.set(id, { at: nowMs, rehash: key.rehash, isSession: member !== undefined });
  }

  private report(): Promise<void> {
    this.reporting ??= this.send().finally(() => {
      this.reporting = undefined;
    });
    return this.reporting;
  }

  private async send(): Promise<void> {
    const batch = [...this.uses].slice(0, MAX_PER_REPORT);
    if (batch.length === 0) return;
    for (const [keyId] of batch) this.uses.delete(keyId);
    const body: KeyUsesReport = {
      uses: batch.map(([keyId, { at, rehash, isSession }]) => ({
        key_id: keyId,
        used_at: new Date(at).toISOString(),
        ...(rehash && { rehash }),
        ...(isSession && { session: true as const }),
      })),
    };
    try {
      await this.client.request(
        'accounts',
        { method: 'POST', path: '/internal/keys/used', body },
        z.unknown(),
      );
    } catch (error) {
      this.logger.warn(
        { event: 'key_uses.report_failed', err: error, keys: batch.length },
        'reporting key uses failed, will retry',
      );
      for (const [keyId, use] of batch) if (!this.uses.has(keyId)) this.uses.set(keyId, use);
    }
  }
}
