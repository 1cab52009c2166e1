import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { SystemMailRequested, type EventEnvelope } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Hears, LOGGER } from '@postmesh/service-host';
import { SystemMailer } from './system-mailer.js';
import { readAddress } from './system-mail.rules.js';

/** Notes what Postmesh itself has to tell people; the key of the row makes it once per message and recipient. */
@Controller()
export class OnSystemMailRequested {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mailer: SystemMailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Hears(SystemMailRequested)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const rows = events.map((event) => SystemMailRequested.parse(event)).flatMap((event) => this.rows(event));
    if (rows.length === 0) return;
    const column = <K extends keyof Row>(name: K) => rows.map((row) => row[name]);
    await this.dataSource.query(
      `insert into system_mails (mail_id, recipient, name, account_id, kind, subject, text_content, html_content)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[])
       on conflict do nothing`,
      [
        column('mail_id'),
        column('recipient'),
        column('name'),
        column('account_id'),
        column('kind'),
        column('subject'),
        column('text'),
        column('html'),
      ],
    );
    this.mailer.wake();
  }

  private rows({ data }: Requested): Row[] {
    return data.recipients.flatMap(({ email, name }) => {
      const address = readAddress(email);
      if (address) return [{ ...data, recipient: address.address, name }];
      this.logger.error(
        { event: 'system_mail.invalid_address', mail_id: data.mail_id, kind: data.kind },
        'system mail to an invalid address',
      );
      return [];
    });
  }
}

type Requested = ReturnType<typeof SystemMailRequested.parse>;
interface Row extends Omit<Requested['data'], 'recipients'> {
  recipient: string;
  name: string;
}
