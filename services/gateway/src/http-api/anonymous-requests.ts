import { Injectable } from '@nestjs/common';
import { ConsolePages } from '../console/console-pages.js';
import { Console } from '../console/console.js';
import { Documentation } from '../documentation/documentation.js';
import { SitePages } from '../documentation/site-pages.js';
import { PublicLinks } from '../public-links/public-links.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import type { Exchange } from './exchange.js';

/** Serves paths that need no key: the documentation, the console and sign-ins to it, and the links in messages. */
@Injectable()
export class AnonymousRequests {
  constructor(
    private readonly documentation: Documentation,
    private readonly console: Console,
    private readonly pages: ConsolePages,
    private readonly site: SitePages,
    private readonly links: PublicLinks,
    private readonly limits: RateLimits,
  ) {}

  /**
   * @returns undefined for any other path, which needs a key or a session
   * @throws ApiError 403, 404 for a request below the path of the console that may not be served
   */
  serve(exchange: Exchange): Promise<void> | undefined {
    if (this.documentation.has(exchange.path)) return this.document(exchange);
    if (exchange.isConsole) {
      this.console.check(exchange);
      return this.console.signIn(exchange);
    }
    if (this.site.has(exchange.path)) return this.page(exchange, this.site);
    if (this.pages.has(exchange.path)) return this.page(exchange, this.pages);
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

  private async page(exchange: Exchange, pages: ConsolePages | SitePages): Promise<void> {
    exchange.page = 'console';
    await this.limits.pages(exchange.clientIp);
    pages.serve(exchange);
  }
}
