import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { BlobStore } from '@postmesh/blob-store';
import { SystemMailRequested } from '@postmesh/accounts-contract';
import type { EventOf } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { BLOB_STORE, Consumes, LOGGER, type EventContext } from '@postmesh/service-host';
import { SystemMailer } from './system-mailer.js';
import { readAddress } from './system-mail.rules.js';

const COLUMNS = {
  mail_id: 'text',
  recipient: 'text',
  name: 'text',
  account_id: 'uuid',
  kind: 'text',
  content_id: 'uuid',
} as const;

/** Stores requested mail of Postmesh itself; the key of the row makes it once per message and recipient. */
@Controller()
export class OnSystemMailRequested {
  constructor(
    private readonly mailer: SystemMailer,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(SystemMailRequested, 'messages.system-mail')
  async handle(
    @Payload() events: EventOf<typeof SystemMailRequested>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const rows = events.flatMap((event) => this.rows(event));
    await insertRows(tx, 'system_mails', COLUMNS, rows, { onConflict: 'do nothing' });
    const named = new Set(rows.map((row) => row.contentId));
    const unnamed = events.map(({ data }) => data.content_id).filter((id) => !named.has(id));
    afterCommit(() => {
      this.mailer.wake();
      void this.deleteContents(unnamed);
    });
  }

  /** Deletes contents without a valid recipient. */
  private async deleteContents(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.blobs.delete(ids).catch((error: unknown) => {
      this.logger.warn(
        { event: 'system_mail.delete_failed', err: error },
        'deleting content of system mail failed, a sweep will delete it',
      );
    });
  }

  private rows({ data }: EventOf<typeof SystemMailRequested>) {
    const { mail_id: mailId, account_id: accountId, kind, content_id: contentId } = data;
    return data.recipients.flatMap(({ email, name }) => {
      const address = readAddress(email);
      if (address) return [{ mailId, recipient: address.address, name, accountId, kind, contentId }];
      const about = { event: 'system_mail.invalid_address', mail_id: mailId, kind };
      this.logger.error(about, 'system mail to an invalid address is not sent');
      return [];
    });
  }
}
