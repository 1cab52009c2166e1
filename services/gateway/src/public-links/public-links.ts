import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import { LinkTokens, locationOf, type ClickLink, type OpenLink } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Forwarding } from '../forward/forwarding.js';
import type { Exchange } from '../http-api/exchange.js';
import { RateLimits } from '../rate-limits/rate-limits.js';
import { FetchReports } from './fetch-reports.js';
import { publicPathOf, trackedFetch, unsubscriberOf, type PublicPath } from './public-links.rules.js';

/** A transparent GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const READING = ['GET', 'HEAD'];
const READING_AND_FORMS = [...READING, 'POST'];
const WITH_PREFLIGHT = [...READING_AND_FORMS, 'OPTIONS'];

// Responses are not cached, the target of a click gets no referrer, and links are not indexed.
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

/** A page of the account's own, anywhere, sends a form as JSON: there is no cookie, and the answer says nothing of an address. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '3600',
};

/** A form of sign-ups or preferences: ten answers of 255 characters, with up to twelve bytes each. */
const MAX_SIGN_UP_BYTES = 48 * 1024;

/** The pages of sign-ups, in the marketing service. */
const SIGN_UP_PAGES = { form: 'f', confirm: 'j', preferences: 'p' } as const;
type SignUpPath = PublicPath & { kind: keyof typeof SIGN_UP_PAGES };
const isOfSignUps = (path: PublicPath): path is SignUpPath => path.kind in SIGN_UP_PAGES;

/** A form of two fields, or multipart with the additions of a mailbox provider to its parts. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * The links in messages: pixel, redirect, unsubscribing and the web copy, without a key and on every host
 * (spec 2-messages §11, §12; spec 3-marketing §5.4, §7.4).
 * Responses to pixels and redirects need the token alone, so they work while all other services are down; the fetch is
 * reported afterwards.
 */
@Injectable()
export class PublicLinks {
  private readonly tokens: LinkTokens;

  constructor(
    private readonly reports: FetchReports,
    private readonly forwarding: Forwarding,
    private readonly limits: RateLimits,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
  }

  /** @returns undefined when the path is no public link */
  find(path: string): PublicPath | undefined {
    return publicPathOf(path);
  }

  /** @throws ApiError 404 for a bad token, 405, 413, 429; Transient while unsubscribing is not possible */
  async serve(exchange: Exchange, path: PublicPath): Promise<void> {
    setHeaders(exchange, HEADERS);
    if (path.kind === 'unsubscribe') return this.unsubscribe(exchange, 'u', path.token);
    if (path.kind === 'return') return this.unsubscribe(exchange, 'r', path.token);
    if (path.kind === 'view') return this.view(exchange, path.token);
    if (isOfSignUps(path)) return this.signUp(exchange, path);
    requireMethod(exchange, READING);
    const link = this.tokens.read(path.token);
    if (link?.kind === 'open' && path.kind === 'open') sendPixel(exchange);
    else if (link?.kind === 'click' && path.kind === 'click') redirect(exchange, link);
    else return this.refuse(exchange);
    this.report(exchange, link);
  }

  private report({ request, clientIp }: Exchange, link: OpenLink | ClickLink): void {
    const { method, headers } = request;
    this.reports.add(trackedFetch(link, { method, headers, clientIp }, new Date()));
  }

  /** The service of the link shows the page; messages also for a bad token. */
  private async unsubscribe(exchange: Exchange, page: 'u' | 'r', token: string): Promise<void> {
    requireMethod(exchange, READING_AND_FORMS);
    const link = this.tokens.read(token);
    const service = unsubscriberOf(link);
    if (link?.kind === 'unsubscribe' || service === 'marketing') await this.limits.pages(exchange.clientIp);
    else await this.limits.anonymous(exchange.clientIp);
    const path = `/public/${page}/${encodeURIComponent(token)}`;
    await this.forwarding.forwardPublic(exchange, { service, path, bodyLimit: MAX_FORM_BYTES });
  }

  /** The marketing service shows the page, also of a bad token. A sign-up has a limit of its form and its peer. */
  private async signUp(exchange: Exchange, { kind, token }: SignUpPath): Promise<void> {
    requireMethod(exchange, kind === 'form' ? WITH_PREFLIGHT : READING_AND_FORMS);
    if (kind === 'form') setHeaders(exchange, ANY_ORIGIN);
    const link = this.tokens.read(token);
    const isPage = link?.kind === kind || (kind === 'preferences' && link?.kind === 'campaign-unsubscribe');
    if (isPage) await this.limits.pages(exchange.clientIp);
    else await this.limits.anonymous(exchange.clientIp);
    if (exchange.request.method === 'OPTIONS') return sendPreflight(exchange);
    if (link?.kind === 'form' && exchange.request.method === 'POST') {
      await this.limits.signUp(link.formId, exchange.clientIp);
    }
    const path = `/public/${SIGN_UP_PAGES[kind]}/${encodeURIComponent(token)}`;
    await this.forwarding.forwardPublic(exchange, {
      service: 'marketing',
      path,
      bodyLimit: MAX_SIGN_UP_BYTES,
    });
  }

  /** The messages service shows the web copy, or an error page for a bad link. */
  private async view(exchange: Exchange, token: string): Promise<void> {
    requireMethod(exchange, READING);
    if (this.tokens.read(token)?.kind === 'view') await this.limits.pages(exchange.clientIp);
    else await this.limits.anonymous(exchange.clientIp);
    const path = `/public/v/${encodeURIComponent(token)}`;
    await this.forwarding.forwardPublic(exchange, { service: 'messages', path, bodyLimit: 0 });
  }

  /** 404 for a bad token, and 429 for a client that guesses tokens. */
  private async refuse(exchange: Exchange): Promise<never> {
    await this.limits.anonymous(exchange.clientIp);
    throw ApiErrors.notFound('link');
  }
}

function requireMethod({ request }: Exchange, allowed: readonly string[]): void {
  if (!allowed.includes(request.method ?? '')) throw ApiErrors.methodNotAllowed(allowed);
}

function setHeaders({ response }: Exchange, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function sendPreflight({ response, frame }: Exchange): void {
  response.writeHead(204, { ...PREFLIGHT, ...(frame.present ? { connection: 'close' } : {}) });
  response.end();
}

function sendPixel({ request, response, frame }: Exchange): void {
  response.writeHead(200, {
    'content-type': 'image/gif',
    'content-length': PIXEL.length,
    ...(frame.present ? { connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : PIXEL);
}

function redirect({ response, frame }: Exchange, { url }: ClickLink): void {
  response.writeHead(302, {
    location: locationOf(url),
    'content-length': 0,
    ...(frame.present ? { connection: 'close' } : {}),
  });
  response.end();
}
