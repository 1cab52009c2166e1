import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { DebouncedTask, inBatches } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import { SystemMailContent } from '@postmesh/accounts-contract';
import type { DomainFacts } from '@postmesh/domains-contract';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { BLOB_STORE, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SendRequestStore } from '../accept/send-request-store.js';
import { SystemDomain } from './system-domain.js';
import { readSystemSender, toSystemSendRequest, waitAfter } from './system-mail.rules.js';

const BATCH_SIZE = 50;
const MAX_BATCHES = 200;
const KEEP_DAYS = 30;
const RETRY_MS = 10_000;
const FORGOTTEN_AT_ONCE = 1_000;

interface Waiting {
  mail_id: string;
  recipient: string;
  name: string;
  content_id: string;
  tries: number;
}

/** Accepts the messages of Postmesh itself: with the same rows, content and event as a customer's message. */
@Injectable()
export class SystemMailer implements BeforeApplicationShutdown {
  private readonly sender;
  private readonly sending: DebouncedTask = new DebouncedTask(
    (signal) => this.sendDue(signal),
    (error) => {
      this.sending.triggerIn(RETRY_MS);
      this.logger.warn(
        { event: 'system_mail.send_failed', err: error },
        'sending system mail failed, will retry',
      );
    },
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly domain: SystemDomain,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.sender = readSystemSender(settings.systemSender, settings.serviceZone);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sending.stop();
  }

  /** Mail was requested: runs now, and again after a failure. */
  wake(): void {
    this.sending.trigger();
  }

  // Finds mail that another process stored, and mail that could not be accepted before.
  @Periodic({ name: 'send-system-mail', everyMs: 60_000, timeoutMs: 60_000 })
  async sweep(signal: AbortSignal): Promise<void> {
    await this.sendDue(signal);
    await this.deleteContents();
    const forgetBatch = () => changedRows(this.dataSource, FORGET, [KEEP_DAYS, FORGOTTEN_AT_ONCE]);
    await inBatches(forgetBatch, { size: FORGOTTEN_AT_ONCE, signal });
  }

  /** @throws Transient when the domains service is unavailable: all mail waits for the next run */
  async sendDue(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const due: Waiting[] = await this.dataSource.query(
        `select mail_id, recipient, name, content_id, tries from system_mails
         where accepted_at is null and next_try_at <= now() order by next_try_at limit ${BATCH_SIZE}`,
      );
      if (due.length === 0) return;
      const domain = await this.domain.find();
      const contents = await this.blobs.get([...new Set(due.map((mail) => mail.content_id))]);
      for (const mail of due) await this.acceptOrPutOff(mail, contents.get(mail.content_id), domain);
      await this.deleteContents();
      if (due.length < BATCH_SIZE) return;
    }
  }

  /** One message that cannot be accepted does not delay the others. */
  private async acceptOrPutOff(
    mail: Waiting,
    content: Buffer | undefined,
    domain: DomainFacts,
  ): Promise<void> {
    try {
      if (!content) throw new Error('the content of a system mail is gone');
      await this.accept(mail, SystemMailContent.parse(JSON.parse(content.toString())), domain);
    } catch (error) {
      if (failureKind(error) === 'transient') throw error;
      const [, waiting]: [unknown, number] = await this.dataSource.query(
        `update system_mails set tries = tries + 1, next_try_at = now() + make_interval(secs => $3)
         where mail_id = $1 and recipient = $2 and accepted_at is null`,
        [mail.mail_id, mail.recipient, waitAfter(mail.tries) / 1000],
      );
      // another process may have accepted it and deleted the content meanwhile
      if (waiting === 0) return;
      const about = { event: 'system_mail.accept_failed', err: error, mail_id: mail.mail_id };
      this.logger.error(about, 'accepting system mail failed, will retry');
    }
  }

  /** One transaction marks the row and accepts the message, so each message is accepted once. */
  private async accept(mail: Waiting, content: SystemMailContent, domain: DomainFacts): Promise<void> {
    const about = { sender: this.sender, domain, now: new Date() };
    const sendRequest = toSystemSendRequest({ ...mail, ...content }, about);
    await this.store.putContents([sendRequest]);
    const mine = await this.dataSource.transaction(async (manager) => {
      const [marked]: [unknown[], number] = await manager.query(
        `update system_mails set accepted_at = now()
         where mail_id = $1 and recipient = $2 and accepted_at is null returning mail_id`,
        [mail.mail_id, mail.recipient],
      );
      if (marked.length > 0) await this.store.insert(manager, [sendRequest]);
      return marked.length > 0;
    });
    if (!mine) await this.store.dropContents([sendRequest]);
  }

  /**
   * All recipients of an event share its content: it is deleted after the last of their messages is accepted. The next
   * call deletes the rest of a crash between the two statements.
   */
  private async deleteContents(): Promise<void> {
    const rows: { content_id: string }[] = await this.dataSource.query(
      `select content_id from system_mails where content_id is not null
       group by content_id having bool_and(accepted_at is not null)`,
    );
    if (rows.length === 0) return;
    const ids = rows.map((row) => row.content_id);
    await this.blobs.delete(ids);
    await this.dataSource.query(
      'update system_mails set content_id = null where content_id = any($1::uuid[])',
      [ids],
    );
  }
}

const FORGET = `delete from system_mails where ctid = any(array(
  select ctid from system_mails where accepted_at < now() - make_interval(days => $1)
  order by accepted_at limit $2 for update skip locked))`;
