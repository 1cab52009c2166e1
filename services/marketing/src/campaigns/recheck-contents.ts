import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import { TEMPLATE_LANGUAGE } from '@postmesh/templates';
import { contentIssues } from './campaign-issues.rules.js';

// Up to 2 MiB each; the next run continues with further ones.
const BATCH = 20;
const MAX_BATCHES = 500;

interface Draft {
  id: string;
  subject: string | null;
  preheader: string | null;
  html: string | null;
  text: string | null;
}

const STALE = `select id, subject, preheader, html, text from campaigns
  where status = 'draft' and (content_language is null or content_language < $1 or content_language > $1)
  limit ${BATCH}`;

// A draft that was written in the meantime is checked again in the next batch.
const WRITE = `update campaigns set content_issues = $2, content_language = $3
  where id = $1 and status = 'draft' and (subject, preheader, html, text) is not distinct from ($4, $5, $6, $7)`;

/**
 * Issues of a content are stored when it is written (ADR 55). A release with another template language determines those
 * of all drafts again.
 */
@Injectable()
export class RecheckContents {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'recheck-contents', everyMs: 600_000, timeoutMs: 300_000 })
  async run(signal: AbortSignal): Promise<void> {
    await inBatches(() => this.batch(), { size: BATCH, max: MAX_BATCHES, signal });
  }

  private async batch(): Promise<number> {
    const drafts: Draft[] = await this.dataSource.query(STALE, [TEMPLATE_LANGUAGE]);
    for (const draft of drafts) {
      const { id, subject, preheader, html, text } = draft;
      const found = [id, contentIssues(draft), TEMPLATE_LANGUAGE];
      await this.dataSource.query(WRITE, [...found, subject, preheader, html, text]);
    }
    return drafts.length;
  }
}
