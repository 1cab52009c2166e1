import { Injectable } from '@nestjs/common';
import { ConsolePages } from '../console/console-pages.js';
import { Documentation } from '../documentation/documentation.js';
import { PublicLinks } from '../public-links/public-links.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import type { Exchange } from './exchange.js';

/** Serves paths that need no key: the documentation, the files of the console and the links in messages. */
@Injectable()
export class AnonymousRequests {
  constructor(
    private readonly documentation: Documentation,
    private readonly console: ConsolePages,
    private readonly links: PublicLinks,
    private readonly limits: RateLimits,
  ) {}

  /** @returns undefined for any other path, which needs a key */
  serve(exchange: Exchange): Promise<void> | undefined {
    if (this.documentation.has(exchange.path)) return this.document(exchange);
    if (this.console.has(exchange.path)) return this.page(exchange);
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

  private async page(exchange: Exchange): Promise<void> {
    exchange.page = 'console';
    await this.limits.pages(exchange.clientIp);
    this.console.serve(exchange);
  }
}
