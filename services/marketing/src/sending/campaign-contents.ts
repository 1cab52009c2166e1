import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { SingleFlight } from '@postmesh/concurrency';
import type { CampaignContent } from '@postmesh/messages-contract';
import { VARIANT_CONTENTS } from '../trials/variant-contents.sql.js';

type StoredContent = Omit<CampaignContent, 'from'>;

// For concurrently sending campaigns; each has some 1.3 MiB at most.
const MAX_BYTES = 32 * 1024 * 1024;
// A sending campaign does not change; an unused content is evicted after this time.
const KEEP_MS = 600_000;

/** The contents of sending campaigns, cached across batches. */
@Injectable()
export class CampaignContents {
  private readonly kept = new LRUCache<string, StoredContent>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ html, text }) => 10_000 + (html?.length ?? 0) + (text?.length ?? 0),
    ttl: KEEP_MS,
  });
  private readonly lookUps = new SingleFlight<string, StoredContent>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param campaignId of a campaign that has begun to send
   * @param variant 0: its own content
   */
  async of(campaignId: string, variant: number): Promise<StoredContent> {
    const key = `${campaignId} ${variant}`;
    return this.kept.get(key) ?? this.lookUps.run(key, () => this.read(key, campaignId, variant));
  }

  private async read(key: string, campaignId: string, variant: number): Promise<StoredContent> {
    const [found]: StoredContent[] = await this.dataSource.query(
      `select reply_to, coalesce(subject, '') as subject, preheader, html, text from (${VARIANT_CONTENTS}) as contents
       where variant = $2`,
      [campaignId, variant],
    );
    if (!found) throw new Error('a campaign that sends has gone');
    this.kept.set(key, found);
    return found;
  }
}
