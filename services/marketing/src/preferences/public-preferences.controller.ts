import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  badFormPage,
  badLinkPage,
  isOneClick,
  LinkTokens,
  readFormFields,
  sendOneClickDone,
  sendPublicPage,
} from '@postmesh/public-links';
import {
  MOST_FIELDS,
  preferencesPage,
  readChoice,
  savedPage,
  stoppedPage,
  unknownPage,
} from './preference-pages.js';
import { ContactPreferences, type Reader } from './preferences.js';

/** The preference centre (decision 152), behind the unsubscribe links of campaigns and the links of welcome mails. */
@Controller('public')
export class PublicPreferencesController {
  constructor(
    private readonly tokens: LinkTokens,
    private readonly preferences: ContactPreferences,
  ) {}

  /** Changes nothing: mailbox providers and virus scanners follow links. */
  @Get('p/:token')
  async show(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const reader = this.readerOf(token);
    if (!reader) return sendPublicPage(reply, 404, badLinkPage());
    const found = await this.preferences.of(reader);
    sendPublicPage(reply, 200, found ? preferencesPage(found, new Date()) : unknownPage());
  }

  @Post('p/:token')
  async post(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const reader = this.readerOf(token);
    if (!reader) return sendPublicPage(reply, 404, badLinkPage());
    const given = await readFormFields(request.headers['content-type'], request.body, MOST_FIELDS);
    const ip = String(request.headers['x-client-ip'] ?? '');
    const [only] = [...(given ?? [])].map(([name, value]) => ({ name, value }));
    if (only && given?.size === 1 && isOneClick(only)) {
      await this.preferences.stopAll(reader, ip);
      return sendOneClickDone(reply);
    }
    if (given?.get('stop') === 'all') {
      const isKnown = await this.preferences.stopAll(reader, ip);
      return sendPublicPage(reply, 200, isKnown ? stoppedPage() : unknownPage());
    }
    const choice = given?.get('save') === '1' ? readChoice(given, new Date()) : undefined;
    if (!choice) return sendPublicPage(reply, 400, badFormPage());
    const isKnown = await this.preferences.save(reader, choice, ip);
    sendPublicPage(reply, 200, isKnown ? savedPage() : unknownPage());
  }

  private readerOf(token: string): Reader | undefined {
    const link = this.tokens.read(token);
    if (link?.kind === 'preferences') {
      return { accountId: link.accountId, contactId: link.contactId, campaignId: null };
    }
    if (link?.kind !== 'campaign-unsubscribe') return undefined;
    return { accountId: link.accountId, contactId: link.contactId, campaignId: link.campaignId };
  }
}
