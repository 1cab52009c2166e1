import { Controller, Get, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { parseMessage } from '@postmesh/mail-format';
import { Internal, SETTINGS, uuidParam } from '@postmesh/service-host';
import { feedbackLoopAddress, type Settings } from '@postmesh/settings';
import {
  findFeedbackMail,
  listFeedbackMail,
  readFeedbackLoops,
  type FeedbackMail,
} from './feedback-mail.repository.js';

/** The address of feedback loops and its mail, for operators (architecture §5.4). */
@Internal()
@Controller('operator/feedback')
export class OperatorFeedbackController {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async list(): Promise<object> {
    const [loops, mails] = await Promise.all([
      readFeedbackLoops(this.dataSource),
      listFeedbackMail(this.dataSource),
    ]);
    return {
      address: feedbackLoopAddress(this.settings),
      complaints: loops.map(({ form, matched, unmatched, lastAt }) => ({
        form,
        matched,
        unmatched,
        last_at: lastAt,
      })),
      mail: mails.map(viewOf),
    };
  }

  /** One mail that is no complaint, such as a provider's confirmation of a registration. */
  @Get(':mail_id')
  async read(@uuidParam('mail_id') id: string): Promise<object> {
    const mail = await findFeedbackMail(this.dataSource, id);
    if (!mail) throw ApiErrors.notFound('mail');
    const { parts } = await parseMessage(mail.content);
    const textOf = (type: string) =>
      parts
        .filter(({ content_type }) => content_type === type)
        .map(({ content }) => content)
        .join('\n');
    return { ...viewOf(mail), text: textOf('text/plain'), html: textOf('text/html') };
  }
}

const viewOf = ({ id, kind, sender, subject, receivedAt }: FeedbackMail): object => ({
  id,
  received_at: receivedAt,
  kind,
  sender,
  subject,
});
