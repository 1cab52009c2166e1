import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SystemMailRequested, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { SystemMailer } from './system-mailer.js';
import { readAddress } from './system-mail.rules.js';

/** Notes what Postmesh itself has to tell people; the key of the row makes it once per message and recipient. */
@Injectable()
export class OnSystemMailRequested implements Consumer<typeof SystemMailRequested> {
  constructor(
    private readonly mailer: SystemMailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(SystemMailRequested, 'messages.system-mail')
  async handle(
    tx: EntityManager,
    events: EventOf<typeof SystemMailRequested>[],
  ): Promise<AfterCommit | void> {
    const rows = events.flatMap((event) => this.rows(event));
    if (rows.length === 0) return;
    const column = <K extends keyof Row>(name: K) => rows.map((row) => row[name]);
    await tx.query(
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
    return () => this.mailer.wake();
  }

  private rows({ data }: Requested): Row[] {
    return data.recipients.flatMap(({ email, name }) => {
      const address = readAddress(email);
      if (address) return [{ ...data, recipient: address.address, name }];
      this.logger.error(
        { mail_id: data.mail_id, kind: data.kind },
        'system mail to an address that cannot be',
      );
      return [];
    });
  }
}

type Requested = EventOf<typeof SystemMailRequested>;
interface Row extends Omit<Requested['data'], 'recipients'> {
  recipient: string;
  name: string;
}
