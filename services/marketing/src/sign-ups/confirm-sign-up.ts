import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, newId, type AccountId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import type { ConfirmLink } from '@postmesh/public-links';
import { LOGGER } from '@postmesh/service-host';
import { isPresent } from '../account-changes/deleted-accounts.js';
import { recordConsents } from '../consents/consent-records.js';
import { AttributeDefinitions } from '../contacts/attributes/attribute-definitions.js';
import { changedContact, newContact } from '../contacts/contact-change.rules.js';
import type { Contact } from '../contacts/contact.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { answersDigest, shownAnswers, valuesNow } from './form-attributes.rules.js';
import { joinList, resubscribe } from './join-list.js';
import type { ToConfirm } from './sign-up-pages.js';
import { SignUpForms, type SignUpForm } from './sign-up-forms.js';
import { SignUpMailer } from './sign-up-mailer.js';

interface SignUp {
  readonly id: string;
  readonly formId: string;
  readonly listId: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly way: 'form' | 'console';
  readonly textVersion: number;
  readonly isConfirmed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const FIND = `select id, form_id as "formId", list_id as "listId", email, first_name as "firstName", last_name as "lastName",
    way, text_version as "textVersion", confirmed_at is not null as "isConfirmed", attributes
  from sign_ups where id = $1 and account_id = $2 and expires_at > now()`;

/**
 * `frozen`: the address reported the list as spam, which the account cannot change either. `changed`: the form was sent once
 * more with other values than those of the page.
 */
export type Confirmation = 'confirmed' | 'frozen' | 'changed' | 'gone';

/** The client that presses the button, and the values that its page shows. */
export interface Confirming {
  readonly ip: string;
  readonly digest: string;
}

/** Undoes what the confirmation has begun. */
class ChangedAnswers extends Error {
  override readonly name = 'ChangedAnswers';
}

// Each round, another request has made or deleted the contact, which cannot happen many times.
const MAX_ROUNDS = 5;

/** A person has pressed the button of the page that the confirmation mail leads to. */
@Injectable()
export class ConfirmSignUp {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contacts: ContactsRepository,
    private readonly lists: ListsRepository,
    private readonly forms: SignUpForms,
    private readonly definitions: AttributeDefinitions,
    private readonly mailer: SignUpMailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The form and the address of a sign-up that can be confirmed, or is. */
  async find({
    signUpId,
    accountId,
  }: ConfirmLink): Promise<{ form: SignUpForm; toConfirm: ToConfirm } | undefined> {
    const [found]: SignUp[] = await this.dataSource.query(FIND, [signUpId, accountId]);
    const form = found && (await this.forms.find(this.dataSource, { accountId, formId: found.formId }));
    if (!form || form.listName === null) return undefined;
    const { email, attributes } = found;
    const answers = shownAnswers(form.attributes, attributes);
    return { form, toConfirm: { email, answers, digest: answersDigest(attributes) } };
  }

  /** A repetition changes nothing. @throws Transient */
  async execute(link: ConfirmLink, by: Confirming): Promise<Confirmation> {
    const result = await this.dataSource
      .transaction((tx) => this.confirm(tx, link, by))
      .catch((error: unknown) => {
        // the list or the sign-up was deleted meanwhile
        if (error instanceof ApiError && error.status === 404) return 'gone' as const;
        if (error instanceof ChangedAnswers) return 'changed' as const;
        throw error;
      });
    this.logger.info(
      { event: 'sign_up.confirmed', account_id: link.accountId, sign_up_id: link.signUpId, result },
      'sign-up confirmed',
    );
    if (result === 'confirmed') this.mailer.wake();
    return result;
  }

  private async confirm(
    tx: EntityManager,
    link: ConfirmLink,
    { ip, digest }: Confirming,
  ): Promise<Confirmation> {
    const accountId = link.accountId as AccountId;
    if (!(await isPresent(tx, accountId))) return 'gone';
    const [known]: SignUp[] = await tx.query(FIND, [link.signUpId, accountId]);
    if (!known) return 'gone';
    await this.lists.hold(tx, accountId, known.listId);
    const contact = await this.contactOf(tx, accountId, known);
    // after the contact, in the order of its deletion
    const [signUp]: SignUp[] = await tx.query(`${FIND} for update`, [link.signUpId, accountId]);
    const form = await this.forms.find(tx, { accountId, formId: known.formId });
    if (!signUp || !form) throw new ApiError(404, 'sign-up not found');
    if (signUp.isConfirmed) return 'confirmed';
    if (answersDigest(signUp.attributes) !== digest) throw new ChangedAnswers();
    if (!(await joinList(tx, accountId, { contactId: contact.id, listId: signUp.listId }))) return 'frozen';
    // before the flag of the contact is changed
    await this.keepAnswers(tx, { accountId, contact }, signUp);
    if (contact.unsubscribed) await resubscribe(tx, contact.id, [signUp.listId]);
    const hasWelcome = form.welcomeTemplateId !== null;
    await tx.query(
      `update sign_ups set confirmed_at = now(), contact_id = $2, attributes = '{}', mail_id = $3, mail_tries = 0,
         mail_due_at = case when $4 then now() end where id = $1`,
      [signUp.id, contact.id, newId(), hasWelcome],
    );
    const { formId, textVersion, listId, email, way } = signUp;
    const [words]: { text: string }[] = await tx.query(
      'select text from consent_texts where form_id = $1 and version = $2',
      [formId, textVersion],
    );
    const consent = { contactId: contact.id, listId, formId, textVersion, email, way, ip, at: new Date() };
    await recordConsents(tx, accountId, [{ ...consent, action: 'granted', text: words?.text ?? '' }]);
    return 'confirmed';
  }

  /** The reader of the mailbox has seen them: they replace those that the contact had. */
  private async keepAnswers(
    tx: EntityManager,
    { accountId, contact }: { accountId: AccountId; contact: Contact },
    { attributes }: SignUp,
  ): Promise<void> {
    if (Object.keys(attributes).length === 0) return;
    const set = valuesNow(await this.definitions.types(accountId, tx), attributes);
    const after = changedContact(contact, { attributes: { set, remove: [] } }, new Date());
    if (after !== contact) await this.contacts.update(tx, [after]);
  }

  /** Locked. The names of a known contact stay: another person may have filled in the form. */
  private async contactOf(
    tx: EntityManager,
    accountId: AccountId,
    { email, firstName: first_name, lastName: last_name }: SignUp,
  ): Promise<Contact> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const [held] = await this.contacts.lockSome(tx, accountId, [email]);
      if (held) return held;
      const attributes = { set: {}, remove: [] };
      const fresh = newContact(accountId, { email, first_name, last_name, attributes }, new Date());
      if ((await this.contacts.insert(tx, [fresh])).size > 0) return fresh;
    }
    throw new Error('the address of a sign-up was taken again and again');
  }
}
