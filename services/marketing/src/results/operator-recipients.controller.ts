import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Uuid } from '@postmesh/contracts';
import { Internal, query } from '@postmesh/service-host';
import { readContactEmail } from '../contacts/contact-email.rules.js';

const RecipientsQuery = z.object({
  email: z.string().transform((text) => readContactEmail(text) ?? text.trim().toLowerCase()),
  account: Uuid.optional(),
});
type RecipientsQuery = z.infer<typeof RecipientsQuery>;

const SHOWN = 20;

/** Campaign mail to an address, for operators: no list of messages has it (spec 3-marketing §7.7). */
@Internal()
@Controller('operator/campaign-recipients')
export class OperatorRecipientsController {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest twenty first; those without a message have `sent_at` null and are last. */
  @Get()
  async find(@Query(query(RecipientsQuery)) { email, account }: RecipientsQuery): Promise<object> {
    return { data: await this.dataSource.query(RECIPIENTS, [email, account ?? null, SHOWN]) };
  }
}

const RECIPIENTS = `
  select r.message_id, r.account_id, r.campaign_id, c.name as campaign, c.subject, r.email as recipient, r.status,
    r.status_reason, r.sent_at
  from campaign_recipients r join campaigns c on c.id = r.campaign_id
  where r.email = $1 and ($2::uuid is null or r.account_id = $2)
  order by r.sent_at desc nulls last limit $3`;
