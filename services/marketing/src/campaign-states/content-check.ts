import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import type { Logger } from '@postmesh/observability';
import { OutgoingHttp } from '@postmesh/http';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

/** The input of a content check. */
export interface CheckedContent {
  readonly campaign_id: string;
  readonly account_id: string;
  readonly from: string | null;
  readonly subject: string | null;
  readonly preheader: string | null;
  readonly html: string | null;
  readonly text: string | null;
}

/** Decides whether a campaign needs a review before it is sent. Another implementation can be provided by this token. */
export abstract class ContentCheck {
  abstract needsReview(content: CheckedContent): Promise<boolean>;
}

const Answer = z.object({ review: z.boolean() });
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 10_000;

/** Queries the operator's check (POSTMESH_CAMPAIGN_CONTENT_CHECK_URL). A failed query counts as no approval. */
@Injectable()
export class HttpContentCheck implements ContentCheck, BeforeApplicationShutdown {
  private readonly http: OutgoingHttp;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // the operator's own URL, which may be on a private network
    const allow = ['0.0.0.0/0', '::/0'];
    this.http = new OutgoingHttp({ allow, dnsServers: settings.dnsServers, connectionsPerOrigin: 4 });
  }

  async needsReview(content: CheckedContent): Promise<boolean> {
    const { campaignContentCheckUrl: url } = this.settings;
    if (url === undefined) return false;
    const response = await this.http.post({
      url: new URL(url),
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(content)),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      keptResponseBytes: MAX_ANSWER_BYTES,
    });
    const answer = response.kind === 'answered' && response.status === 200 ? read(response.start) : undefined;
    if (answer) return answer.review;
    const { campaign_id, account_id } = content;
    const line = { event: 'campaign.content_check_failed', campaign_id, account_id, answer: response.kind };
    this.logger.warn(line, 'content check failed, campaign is held for review');
    return true;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}

function read(bytes: Buffer): z.infer<typeof Answer> | undefined {
  try {
    return Answer.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}
