import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LinkTokens, type CampaignUnsubscribeLink, type UnsubscribeLink } from './link-tokens.js';
import { isOneClick, readFormField } from './public-form.js';
import { badFormPage, badLinkPage, sendOneClickDone, sendPublicPage } from './public-page.js';
import {
  askingPage,
  choiceOf,
  returnedPage,
  returnOf,
  returnPage,
  testPage,
  unsubscribedPage,
  type AnyUnsubscribeLink,
  type Stop,
  type Subscription,
} from './unsubscribe-pages.js';

/** The part of a service in its unsubscribe links; its module provides one. */
export abstract class Unsubscriber<
  Link extends UnsubscribeLink | CampaignUnsubscribeLink = UnsubscribeLink | CampaignUnsubscribeLink,
> {
  /** its links; links of tests come with those of campaigns */
  abstract readonly kind: Link['kind'];

  /** @returns undefined for a deleted recipient: the page looks the same without it */
  abstract about(link: Link): Promise<Subscription | undefined>;

  /** Resolves after the commit; a repeat changes nothing. @throws Transient when the database is unavailable or overloaded */
  abstract record(link: Link, stop: Stop): Promise<void>;

  /**
   * Takes the unsubscribe of this recipient back, and nothing else that keeps mail away.
   * @returns whether the mail is sent again. @throws Transient
   */
  abstract takeBack(link: Link, stop: Stop): Promise<boolean>;
}

/**
 * Unsubscribe links (spec 2-messages §12, spec 3-marketing §7.4), in each service that has some. The link is
 * the only authorisation, as RFC 8058 requires: no cookie, no login, no redirect.
 */
@Controller('public')
export class UnsubscribeController {
  constructor(
    private readonly tokens: LinkTokens,
    private readonly unsubscriber: Unsubscriber,
  ) {}

  /** Changes nothing: mailbox providers and virus scanners follow links. */
  @Get('u/:token')
  async show(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPublicPage(reply, 404, badLinkPage());
    if (link.kind === 'test-unsubscribe') return sendPublicPage(reply, 200, testPage());
    sendPublicPage(reply, 200, askingPage(link, await this.unsubscriber.about(link), token));
  }

  @Post('u/:token')
  async post(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPublicPage(reply, 404, badLinkPage());
    const field = await readFormField(request.headers['content-type'], request.body);
    const choice = field && choiceOf(link, field);
    if (!choice) return sendPublicPage(reply, 400, badFormPage());
    if (link.kind === 'test-unsubscribe') return sendPublicPage(reply, 200, testPage());
    await this.unsubscriber.record(link, choice.stop);
    if (isOneClick(field)) sendOneClickDone(reply);
    else sendPublicPage(reply, 200, unsubscribedPage(choice, await this.unsubscriber.about(link), token));
  }

  /** The way back of a reader who has unsubscribed; like an unsubscribe, it needs a button. */
  @Get('r/:token')
  async showReturn(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPublicPage(reply, 404, badLinkPage());
    if (link.kind === 'test-unsubscribe') return sendPublicPage(reply, 200, testPage());
    sendPublicPage(reply, 200, returnPage(link, await this.unsubscriber.about(link), token));
  }

  @Post('r/:token')
  async postReturn(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPublicPage(reply, 404, badLinkPage());
    const field = await readFormField(request.headers['content-type'], request.body);
    const stop = field && returnOf(link, field);
    if (!stop) return sendPublicPage(reply, 400, badFormPage());
    if (link.kind === 'test-unsubscribe') return sendPublicPage(reply, 200, testPage());
    const isBack = await this.unsubscriber.takeBack(link, stop);
    sendPublicPage(reply, 200, returnedPage(isBack, await this.unsubscriber.about(link)));
  }

  private read(token: string): AnyUnsubscribeLink | undefined {
    const link = this.tokens.read(token);
    switch (link?.kind) {
      case 'unsubscribe':
      case 'campaign-unsubscribe':
        return link.kind === this.unsubscriber.kind ? link : undefined;
      case 'test-unsubscribe':
        return this.unsubscriber.kind === 'campaign-unsubscribe' ? link : undefined;
      default:
        return undefined;
    }
  }
}
