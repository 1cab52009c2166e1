import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountId } from '@postmesh/contracts';
import { LinkTokens, type UnsubscribeLink } from '@postmesh/public-links';
import { RecordUnsubscribe } from './record-unsubscribe.js';
import { readUnsubscribeForm } from './unsubscribe-form.rules.js';
import {
  badFormPage,
  badLinkPage,
  confirmationPage,
  PAGE_HEADERS,
  unsubscribedPage,
} from './unsubscribe-pages.js';

/**
 * Unsubscribe links (spec 2-messages §12). Everything that they are about stands in the token, so they work when message,
 * domain and account are gone. Whoever has the link may use it, which is what RFC 8058 wants.
 */
@Controller('public/u')
export class UnsubscribeController {
  constructor(
    private readonly tokens: LinkTokens,
    private readonly unsubscribe: RecordUnsubscribe,
  ) {}

  /** Changes nothing: mailbox providers and virus scanners follow links. */
  @Get(':token')
  show(@Param('token') token: string, @Res() reply: FastifyReply): void {
    const link = this.read(token);
    if (link) sendPage(reply, 200, confirmationPage(link));
    else sendPage(reply, 404, badLinkPage());
  }

  @Post(':token')
  async post(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPage(reply, 404, badLinkPage());
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const form = await readUnsubscribeForm(request.headers['content-type'] ?? '', body);
    if (!form) return sendPage(reply, 400, badFormPage());
    // the sandbox writes no suppressions (spec 2-messages §10 rule 4)
    if (!link.sandbox)
      await this.unsubscribe.execute({ ...link, accountId: AccountId.parse(link.accountId) });
    if (form === 'confirm') sendPage(reply, 200, unsubscribedPage(link));
    else void reply.status(200).header('cache-control', 'no-store').send();
  }

  private read(token: string): UnsubscribeLink | undefined {
    const link = this.tokens.read(token);
    return link?.kind === 'unsubscribe' ? link : undefined;
  }
}

function sendPage(reply: FastifyReply, status: number, page: string): void {
  void reply.status(status).headers(PAGE_HEADERS).send(page);
}
