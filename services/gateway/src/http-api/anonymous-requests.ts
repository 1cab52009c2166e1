import { Injectable } from '@nestjs/common';
import { Documentation } from '../documentation/documentation.js';
import { PublicLinks } from '../public-links/public-links.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import type { Exchange } from './exchange.js';

/** Serves paths that need no key: the documentation and the links in messages. */
@Injectable()
export class AnonymousRequests {
  constructor(
    private readonly documentation: Documentation,
    private readonly links: PublicLinks,
    private readonly limits: RateLimits,
  ) {}

  /** @returns undefined for any other path, which needs a key */
  serve(exchange: Exchange): Promise<void> | undefined {
    if (this.documentation.has(exchange.path)) return this.document(exchange);
    const link = this.links.find(exchange.path);
    if (!link) return undefined;
    exchange.page = link.kind;
    return this.links.serve(exchange, link);
  }

  private async document(exchange: Exchange): Promise<void> {
    exchange.page = 'documentation';
    await this.limits.anonymous(exchange.clientIp);
    this.documentation.serve(exchange);
  }
}
