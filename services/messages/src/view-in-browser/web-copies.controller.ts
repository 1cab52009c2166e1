import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { MessageId } from '@postmesh/contracts';
import { badLinkPage, LinkTokens, sendPublicPage } from '@postmesh/public-links';
import { goneCopy, textCopy, WEB_COPY_HEADERS } from './web-copy.rules.js';
import { WebCopies } from './web-copies.js';

/** "View in browser" (spec 3-marketing §5.4). The link authorises reading the message, as the message itself does. */
@Controller('public/v')
export class WebCopiesController {
  constructor(
    private readonly tokens: LinkTokens,
    private readonly copies: WebCopies,
  ) {}

  @Get(':token')
  async show(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.tokens.read(token);
    if (link?.kind !== 'view') return sendPublicPage(reply, 404, badLinkPage());
    const copy = await this.copies.find(MessageId.parse(link.messageId));
    if (!copy) return sendPublicPage(reply, 404, goneCopy());
    if (copy.html === undefined) return sendPublicPage(reply, 200, textCopy(copy.subject, copy.text ?? ''));
    void reply.status(200).headers(WEB_COPY_HEADERS).send(copy.html);
  }
}
