import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { DomainFacts, failureKind, Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import type { Jobs } from '@postmesh/jobs';
import type { Logger } from '@postmesh/observability';
import { JOBS, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SendRequestStore } from '../accept/send-request-store.js';
import { readSystemSender, toSystemSendRequest, waitAfter, type SystemMail } from './system-mail.rules.js';

// Finds what another process noted, and what could not be accepted before.
const EVERY_MS = 10_000;
const BATCH_SIZE = 50;
const MAX_BATCHES = 200;
const KEEP_DAYS = 30;

const SEND = { queue: 'messages', name: 'send-system-mail', everyMs: EVERY_MS, timeoutMs: 60_000 };

type Waiting = SystemMail & { tries: number };

/** Accepts the messages of Postmesh itself: the same rows, content and event as any customer's message. */
@Injectable()
export class SystemMailer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sender;
  private readonly sending = new DebouncedTask(
    (signal) => this.sendDue(signal),
    (error) => this.logger.warn({ event: 'system_mail.waits', err: error }, 'system mail waits'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SendRequestStore,
    private readonly client: InternalClient,
    @Inject(SETTINGS) settings: Settings,
    @Inject(JOBS) private readonly jobs: Jobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.sender = readSystemSender(settings.systemSender, settings.serviceZone);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(SEND, (signal) => this.sweep(signal));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sending.stop();
  }

  /** Something was noted: look now. What fails is left to the periodic run. */
  wake(): void {
    this.sending.trigger();
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    await this.sendDue(signal);
    await this.dataSource.query(
      `delete from system_mails where accepted_at < now() - make_interval(days => $1)`,
      [KEEP_DAYS],
    );
  }

  /** @throws Transient when the domains service is away: everything waits for the next look */
  async sendDue(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const due: Waiting[] = await this.dataSource.query(
        `select mail_id, recipient, name, subject, text_content, html_content, tries from system_mails
         where accepted_at is null and next_try_at <= now() order by next_try_at limit ${BATCH_SIZE}`,
      );
      if (due.length === 0) return;
      const domain = await this.findDomain();
      for (const mail of due) await this.acceptOrPutOff(mail, domain);
      if (due.length < BATCH_SIZE) return;
    }
  }

  private async findDomain(): Promise<DomainFacts> {
    const request = {
      method: 'PUT' as const,
      path: '/internal/system-domain',
      body: { domain: this.sender.domain },
    };
    const facts = await this.client.request('domains', request, DomainFacts);
    if (!facts) throw new Transient('the domains service knows no domain for system mail');
    return facts;
  }

  /** One message that cannot be accepted does not hold up the others. */
  private async acceptOrPutOff(mail: Waiting, domain: DomainFacts): Promise<void> {
    try {
      await this.accept(mail, domain);
    } catch (error) {
      if (failureKind(error) === 'transient') throw error;
      this.logger.error(
        { event: 'system_mail.not_accepted', err: error, mail_id: mail.mail_id },
        'system mail cannot be accepted',
      );
      await this.dataSource.query(
        `update system_mails set tries = tries + 1, next_try_at = now() + make_interval(secs => $3)
         where mail_id = $1 and recipient = $2 and accepted_at is null`,
        [mail.mail_id, mail.recipient, waitAfter(mail.tries) / 1000],
      );
    }
  }

  /** Whoever marks the row first accepts the message, in the same transaction. */
  private async accept(mail: Waiting, domain: DomainFacts): Promise<void> {
    const sendRequest = toSystemSendRequest(mail, { sender: this.sender, domain, now: new Date() });
    await this.store.putContents([sendRequest]);
    const mine = await this.dataSource.transaction(async (manager) => {
      const [marked]: [unknown[], number] = await manager.query(
        `update system_mails set accepted_at = now(), text_content = null, html_content = null
         where mail_id = $1 and recipient = $2 and accepted_at is null returning mail_id`,
        [mail.mail_id, mail.recipient],
      );
      if (marked.length > 0) await this.store.insert(manager, [sendRequest]);
      return marked.length > 0;
    });
    if (!mine) await this.store.dropContents([sendRequest]);
  }
}
