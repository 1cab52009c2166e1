import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import {
  badFormPage,
  badLinkPage,
  isOneClick,
  LinkTokens,
  readFormField,
  sendOneClickDone,
  sendPublicPage,
  type CampaignUnsubscribeLink,
  type FormField,
  type TestUnsubscribeLink,
} from '@postmesh/public-links';
import { RecordUnsubscribe, WANTED, type WantedStop } from './record-unsubscribe.js';
import { choicePage, stoppedPage, testPage, type Subscription } from './unsubscribe-pages.js';

/** Unsubscribe links of campaigns (spec 3-marketing §7.4). The link is the only authorisation, as RFC 8058 requires. */
@Controller('public/u')
export class UnsubscribeController {
  constructor(
    private readonly tokens: LinkTokens,
    private readonly dataSource: DataSource,
    private readonly unsubscribe: RecordUnsubscribe,
  ) {}

  /** Changes nothing: mailbox providers and virus scanners follow links. */
  @Get(':token')
  async show(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.read(token);
    if (!link) return sendPublicPage(reply, 404, badLinkPage());
    if (link.kind === 'test-unsubscribe') return sendPublicPage(reply, 200, testPage());
    sendPublicPage(reply, 200, choicePage(await this.about(link)));
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
    const wanted = field && wantedBy(field);
    if (!wanted) return sendPublicPage(reply, 400, badFormPage());
    if (link.kind === 'test-unsubscribe') return sendPublicPage(reply, 200, testPage());
    const { accountId, campaignId, contactId } = link;
    await this.unsubscribe.execute({ wanted, accountId, campaignId, contactId });
    if (isOneClick(field)) sendOneClickDone(reply);
    else sendPublicPage(reply, 200, stoppedPage(wanted, await this.about(link)));
  }

  private read(token: string): CampaignUnsubscribeLink | TestUnsubscribeLink | undefined {
    const link = this.tokens.read(token);
    return link?.kind === 'campaign-unsubscribe' || link?.kind === 'test-unsubscribe' ? link : undefined;
  }

  /** Undefined for a deleted contact: the page looks the same without it (spec 3-marketing §1.5 C9). */
  private async about({ campaignId, contactId }: CampaignUnsubscribeLink): Promise<Subscription | undefined> {
    const [found]: Subscription[] = await this.dataSource.query(
      `select r.email, c.from_domain as domain from campaign_recipients r join campaigns c on c.id = r.campaign_id
       where r.contact_id = $1 and r.campaign_id = $2 and c.from_domain is not null`,
      [contactId, campaignId],
    );
    return found;
  }
}

/** One click stops these emails; the page offers a choice. */
function wantedBy(field: FormField): WantedStop | undefined {
  if (isOneClick(field)) return 'these';
  return field.name === 'stop' ? WANTED.find((one) => one === field.value) : undefined;
}
