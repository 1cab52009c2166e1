import { Injectable } from '@nestjs/common';
import { Documentation } from '../documentation/documentation.js';
import { Console } from '../console/console.js';
import { PublicLinks } from '../public-links/public-links.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import type { Exchange } from './exchange.js';

/** Serves paths that need no key: the documentation, sign-ins to the console, and the links in messages. */
@Injectable()
export class AnonymousRequests {
  constructor(
    private readonly documentation: Documentation,
    private readonly links: PublicLinks,
    private readonly console: Console,
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
