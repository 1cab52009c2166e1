import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { DebouncedTask, inBatches } from '@postmesh/concurrency';
import type { AccountId } from '@postmesh/contracts';
import { changedRows } from '@postmesh/database';
import { DomainDirectory } from '@postmesh/domains-contract';
import { InternalClient } from '@postmesh/http';
import { CampaignSendResult, type CampaignSendRequest } from '@postmesh/messages-contract';
import type { Logger } from '@postmesh/observability';
import { LinkTokens, publicBaseUrl } from '@postmesh/public-links';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Periodic } from '@postmesh/work';
import { CampaignTemplatesRepository } from '../campaign-templates/campaign-templates.repository.js';
import { domainOf } from '../campaigns/campaign-senders.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { contactFields, recipientName, recipientValues } from '../sending/recipient.rules.js';
import { confirmationMail, welcomeContent } from './sign-up-mails.rules.js';
import { SignUpForms, type SignUpForm } from './sign-up-forms.js';

interface DueMail {
  readonly id: string;
  readonly accountId: AccountId;
  readonly formId: string;
  readonly email: string;
  readonly mailId: string;
  /** set: the welcome mail */
  readonly contactId: string | null;
}
type Mail = Pick<CampaignSendRequest, 'purpose' | 'content'> & {
  recipient: Omit<CampaignSendRequest['recipients'][number], 'message_id' | 'email'>;
};

const BATCH = 50;
const MAX_BATCHES = 40;
const RETRY_MS = 10_000;
const FORGOTTEN_AT_ONCE = 1_000;

// A claimed mail is due again after a while that grows: a process that dies, and a sender that may not send, look the same.
// The id of its message is in the row, so that a second hand-over is recognised.
const CLAIM = `update sign_ups s set mail_tries = mail_tries + 1,
    mail_due_at = now() + make_interval(secs => least(3600, 30 * power(2, least(mail_tries, 7))))
  where id = any(array(select id from sign_ups where mail_due_at <= now() and expires_at > now()
    order by mail_due_at limit ${BATCH} for update skip locked))
  returning id, account_id as "accountId", form_id as "formId", email, mail_id as "mailId", contact_id as "contactId"`;

const FORGET = `delete from sign_ups where ctid = any(array(
  select ctid from sign_ups where expires_at <= now() order by expires_at limit $1 for update skip locked))`;

/** The rows that mails are made of. */
@Injectable()
export class SignUpSources {
  constructor(
    readonly forms: SignUpForms,
    readonly contacts: ContactsRepository,
    readonly templates: CampaignTemplatesRepository,
  ) {}
}

/** Hands the mails of sign-ups over to the messages service, as messages of the account from the sender of the form. */
@Injectable()
export class SignUpMailer implements BeforeApplicationShutdown {
  private readonly tokens: LinkTokens;
  private readonly sending: DebouncedTask = new DebouncedTask(
    (signal) => this.sendDue(signal),
    (error) => {
      this.sending.triggerIn(RETRY_MS);
      this.logger.warn(
        { event: 'sign_up.mail_failed', err: error },
        'sending mail of sign-ups failed, will retry',
      );
    },
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    private readonly accounts: AccountDirectory,
    private readonly domains: DomainDirectory,
    private readonly sources: SignUpSources,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sending.stop();
  }

  /** A mail is due now. */
  wake(): void {
    this.sending.trigger();
  }

  // Finds mail of a process that stopped, mail that could not be handed over, and sign-ups that are over.
  @Periodic({ name: 'send-sign-up-mail', everyMs: 60_000, timeoutMs: 60_000 })
  async sweep(signal: AbortSignal): Promise<void> {
    await this.sendDue(signal);
    const forget = () => changedRows(this.dataSource, FORGET, [FORGOTTEN_AT_ONCE]);
    await inBatches(forget, { size: FORGOTTEN_AT_ONCE, signal });
  }

  async sendDue(signal: AbortSignal): Promise<void> {
    const sendBatch = async () => {
      const [due]: [DueMail[], number] = await this.dataSource.query(CLAIM);
      for (const mail of due) await this.send(mail);
      return due.length;
    };
    await inBatches(sendBatch, { size: BATCH, max: MAX_BATCHES, signal });
  }

  /** The public address of pages of a form: on the host of its sender, where that is set up. */
  async baseUrl({ accountId, fromEmail }: SignUpForm): Promise<string> {
    const domain = await this.domains.find(accountId, domainOf(fromEmail));
    return publicBaseUrl(domain?.subscription_host ?? null, this.settings);
  }

  private async send(due: DueMail): Promise<void> {
    const { id, accountId, formId, email, mailId } = due;
    const form = await this.sources.forms.find(this.dataSource, { accountId, formId });
    const account = await this.accounts.find(accountId);
    const mail = form && account && (await this.mailOf(due, form));
    if (!mail) return this.end(id, mailId);
    const { purpose, content, recipient } = mail;
    const recipients = [{ message_id: mailId, email, ...recipient }];
    const body = {
      account_id: accountId,
      account,
      campaign_id: formId,
      test: true,
      purpose,
      content,
      recipients,
    };
    const path = '/internal/campaign-sends';
    const result = await this.client.request('messages', { method: 'POST', path, body }, CampaignSendResult);
    if (result?.ok) return this.end(id, mailId);
    const problem = result ? result.problem : 'not_known';
    this.logger.warn(
      { event: 'sign_up.mail_waits', account_id: accountId, form_id: formId, problem },
      'mail of a sign-up waits for its sender',
    );
  }

  /** @returns undefined when there is nothing to send any more */
  private async mailOf(due: DueMail, form: SignUpForm): Promise<Mail | undefined> {
    const { accountId, id: signUpId, contactId } = due;
    const base = await this.baseUrl(form);
    if (contactId === null) {
      const url = `${base}/j/${this.tokens.sign({ kind: 'confirm', signUpId, accountId })}`;
      const { content, values } = confirmationMail(form, url);
      return { purpose: 'confirmation', content, recipient: { contact_id: null, name: '', values } };
    }
    const { welcomeTemplateId: id } = form;
    const contact = await this.sources.contacts.find(this.dataSource, accountId, contactId);
    const design =
      id &&
      contact &&
      (await this.sources.templates
        .designOf(this.dataSource.manager, { accountId, id })
        .catch(() => undefined));
    if (!contact || !design) return undefined;
    const fields = contactFields(contact);
    const link = `${base}/p/${this.tokens.sign({ kind: 'preferences', contactId, accountId })}`;
    const values = { ...recipientValues(fields), unsubscribe_url: link };
    const recipient = { contact_id: contactId, name: recipientName(fields), values };
    return { purpose: 'welcome', content: welcomeContent(form, design), recipient };
  }

  /** @param mailId a mail that was asked for meanwhile is another one */
  private async end(id: string, mailId: string): Promise<void> {
    await this.dataSource.query(
      'update sign_ups set mailed_at = now(), mail_due_at = null where id = $1 and mail_id = $2',
      [id, mailId],
    );
  }
}
