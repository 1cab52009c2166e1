import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountId } from '@postmesh/contracts';
import {
  badFormPage,
  badLinkPage,
  isOneClick,
  LinkTokens,
  readFormField,
  sendOneClickDone,
  sendPublicPage,
  type FormField,
  type UnsubscribeLink,
} from '@postmesh/public-links';
import { RecordUnsubscribe } from './record-unsubscribe.js';
import { confirmationPage, unsubscribedPage } from './unsubscribe-pages.js';

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
    if (link) sendPublicPage(reply, 200, confirmationPage(link));
    else sendPublicPage(reply, 404, badLinkPage());
  }

  @Post(':token')
  async post(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPublicPage(reply, 404, badLinkPage());
    const field = await readFormField(request.headers['content-type'], request.body);
    if (!field || !(isOneClick(field) || isConfirmed(field)))
      return sendPublicPage(reply, 400, badFormPage());
    // the sandbox writes no suppressions (spec 2-messages §10 rule 4)
    if (!link.sandbox)
      await this.unsubscribe.execute({ ...link, accountId: AccountId.parse(link.accountId) });
    if (isOneClick(field)) sendOneClickDone(reply);
    else sendPublicPage(reply, 200, unsubscribedPage(link));
  }

  private read(token: string): UnsubscribeLink | undefined {
    const link = this.tokens.read(token);
    return link?.kind === 'unsubscribe' ? link : undefined;
  }
}

/** The button of our page. */
const isConfirmed = ({ name, value }: FormField): boolean => name === 'confirm' && value === '1';
