import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors, CONSOLE_OPERATIONS, type OperationSpec } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Forwarding } from '../forward/forwarding.js';
import type { Exchange } from '../http-api/exchange.js';
import { checkBody } from '../http-api/request-head.rules.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import { isFromConsole } from './console-request.rules.js';

// Nothing of a response stays in a cache or is readable for another site.
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A sign-in has an address or a token in it, or a signature with what it signs. */
const MAX_SIGN_IN_BYTES = 16_384;

/** Requests before a session, and the paths at which the accounts service takes them. */
const SIGN_IN = new Map(
  Object.values(CONSOLE_OPERATIONS as Record<string, OperationSpec>)
    .filter(({ scope }) => scope.kind === 'anonymous')
    .map(({ method, path }) => [`${method} ${path}`, path.replace('/console/api/', '/public/console/')]),
);

/** The checks of every request below `/console/api`, and the requests there that need no session (decision 116). */
@Injectable()
export class Console {
  private readonly ownOrigin: string | undefined;

  constructor(
    private readonly limits: RateLimits,
    private readonly forwarding: Forwarding,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.ownOrigin = settings.baseUrl === undefined ? undefined : new URL(settings.baseUrl).origin;
  }

  /** @throws ApiError 404 when the console is off, 403 for a request of another site */
  check({ request, response }: Exchange): void {
    if (!this.settings.console) throw ApiErrors.unknownPath();
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!isFromConsole(request.method ?? '', request.headers, this.ownOrigin))
      throw ApiErrors.notFromConsole();
  }

  /** @returns undefined for a request that needs a session */
  signIn(exchange: Exchange): Promise<void> | undefined {
    const path = SIGN_IN.get(`${exchange.request.method} ${exchange.path}`);
    return path === undefined ? undefined : this.forward(exchange, path);
  }

  /** @throws ApiError 413, 415, 429 */
  private async forward(exchange: Exchange, path: string): Promise<void> {
    exchange.page = 'sign-in';
    // what the page asks before is no attempt
    if (exchange.request.method === 'GET') await this.limits.anonymous(exchange.clientIp);
    else await this.limits.signIn(exchange.clientIp);
    checkBody(exchange.request.headers, exchange.frame, MAX_SIGN_IN_BYTES);
    await this.forwarding.forwardPublic(exchange, {
      service: 'accounts',
      path,
      bodyLimit: MAX_SIGN_IN_BYTES,
    });
  }
}
