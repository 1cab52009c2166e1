import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { SystemMailRequested, type EventEnvelope } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { BLOB_STORE, Hears, LOGGER } from '@postmesh/service-host';
import { SystemMailer } from './system-mailer.js';
import { readAddress } from './system-mail.rules.js';

/** Notes what Postmesh itself has to tell people; the key of the row makes it once per message and recipient. */
@Controller()
export class OnSystemMailRequested {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mailer: SystemMailer,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Hears(SystemMailRequested)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const requested = events.map((event) => SystemMailRequested.parse(event));
    const rows = requested.flatMap((event) => this.rows(event));
    const column = <K extends keyof Row>(name: K) => rows.map((row) => row[name]);
    await this.dataSource.query(
      `insert into system_mails (mail_id, recipient, name, account_id, kind, content_id)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::uuid[])
       on conflict do nothing`,
      [
        column('mail_id'),
        column('recipient'),
        column('name'),
        column('account_id'),
        column('kind'),
        column('content_id'),
      ],
    );
    const named = new Set(rows.map((row) => row.content_id));
    const unnamed = requested.map(({ data }) => data.content_id).filter((id) => !named.has(id));
    if (unnamed.length > 0) await this.blobs.delete(unnamed);
    this.mailer.wake();
  }

  private rows({ data }: Requested): Row[] {
    return data.recipients.flatMap(({ email, name }) => {
      const address = readAddress(email);
      if (address) return [{ ...data, recipient: address.address, name }];
      this.logger.error(
        { event: 'system_mail.address_refused', mail_id: data.mail_id, kind: data.kind },
        'system mail to an address that cannot be',
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
