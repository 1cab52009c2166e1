import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, type AccountId } from '@postmesh/contracts';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { CampaignTemplatesRepository } from '../campaign-templates/campaign-templates.repository.js';
import { CampaignSenders, domainOf, requireSender } from '../campaigns/campaign-senders.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { AttributeDefinitions } from '../contacts/attributes/attribute-definitions.js';
import { ASKED_TYPES } from './form-attribute.schema.js';
import type { AttributeTypes } from '../contacts/attributes/attribute.rules.js';
import type { KnownAttribute } from './form-attributes.rules.js';
import {
  FormErrors,
  MAX_FORMS,
  type FormField,
  type FormTexts,
  type SignUpFormBody,
} from './sign-up-form.schema.js';

/** A row of `sign_up_forms`, with the name of its list. */
export interface SignUpForm {
  readonly id: string;
  readonly accountId: AccountId;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly name: string;
  readonly listId: string;
  /** null: the list is deleted */
  readonly listName: string | null;
  readonly isOpen: boolean;
  readonly fields: readonly FormField[];
  readonly attributes: readonly KnownAttribute[];
  readonly texts: FormTexts;
  readonly textVersion: number;
  readonly accent: string;
  readonly fromEmail: string;
  readonly fromName: string;
  readonly welcomeTemplateId: string | null;
  readonly welcomeSubject: string;
}

/** A form as the console shows it. */
export interface CountedForm extends SignUpForm {
  readonly waiting: number;
  readonly confirmed: number;
}

// with the types that their definitions have now
const ATTRIBUTES = `coalesce((select jsonb_agg(a.one || jsonb_build_object('type', d.type) order by a.nth)
  from jsonb_array_elements(f.attributes) with ordinality as a(one, nth)
    left join attribute_definitions d on d.account_id = f.account_id and d.key = a.one->>'key'
      and d.type = any('{${ASKED_TYPES.join(',')}}')), '[]')`;
const FIELDS = `f.id, f.account_id as "accountId", f.created_at as "createdAt", f.updated_at as "updatedAt", f.name,
  f.list_id as "listId", l.name as "listName", f.is_open as "isOpen", f.fields, ${ATTRIBUTES} as attributes, f.texts, f.text_version as "textVersion",
  f.accent, f.from_email as "fromEmail", f.from_name as "fromName", f.welcome_template_id as "welcomeTemplateId",
  f.welcome_subject as "welcomeSubject"`;
const FROM = 'from sign_up_forms f left join lists l on l.id = f.list_id and l.deleted_at is null';

const MOST_COUNTED = 10_000;
const countOf = (condition: string) =>
  `(select count(*)::int from (select from sign_ups s where s.form_id = f.id and ${condition} limit ${MOST_COUNTED}) as counted)`;
const COUNTED = `${FIELDS}, ${countOf('s.confirmed_at is null and s.expires_at > now()')} as waiting,
  ${countOf('s.confirmed_at is not null')} as confirmed`;

/** The sign-up forms of accounts. */
@Injectable()
export class SignUpForms {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
    private readonly templates: CampaignTemplatesRepository,
    private readonly senders: CampaignSenders,
    private readonly definitions: AttributeDefinitions,
  ) {}

  /** Newest first. */
  list(accountId: AccountId): Promise<CountedForm[]> {
    return this.dataSource.query(
      `select ${COUNTED} ${FROM} where f.account_id = $1 order by f.created_at desc, f.id desc limit ${MAX_FORMS}`,
      [accountId],
    );
  }

  /** @throws ApiError 404 */
  async get(accountId: AccountId, id: string): Promise<CountedForm> {
    const [found]: CountedForm[] = await this.dataSource.query(
      `select ${COUNTED} ${FROM} where f.id = $1 and f.account_id = $2`,
      [id, accountId],
    );
    if (!found) throw FormErrors.notFound();
    return found;
  }

  /** For pages and mails. */
  async find(
    database: Pick<EntityManager, 'query'>,
    { accountId, formId }: { accountId: string; formId: string },
  ): Promise<SignUpForm | undefined> {
    const [found]: SignUpForm[] = await database.query(
      `select ${FIELDS} ${FROM} where f.id = $1 and f.account_id = $2`,
      [formId, accountId],
    );
    return found;
  }

  /** @throws ApiError 400, 404 or 409 */
  async create(accountId: AccountId, input: SignUpFormBody): Promise<CountedForm> {
    const id = newId();
    await this.checkSender(accountId, input);
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await tx.query(`select pg_advisory_xact_lock(hashtext('forms of an account'), hashtext($1))`, [
        accountId,
      ]);
      const [{ count }]: [{ count: number }] = await tx.query(
        'select count(*)::int as count from sign_up_forms where account_id = $1',
        [accountId],
      );
      if (count >= MAX_FORMS) throw FormErrors.tooMany();
      await this.checkReferences(tx, accountId, input);
      await tx.query(
        `insert into sign_up_forms (id, account_id, created_at, updated_at, text_version, ${WRITTEN.join(', ')})
         values ($1, $2, now(), now(), 1, ${WRITTEN.map((_, at) => `$${at + 3}`).join(', ')})`,
        [id, accountId, ...written(input)],
      );
      await keepText(tx, { accountId, id, version: 1, text: input.texts.consent });
    });
    return this.get(accountId, id);
  }

  /** @throws ApiError 400 or 404 */
  async update(accountId: AccountId, id: string, input: SignUpFormBody): Promise<CountedForm> {
    const before = await this.get(accountId, id);
    // a form can be renamed while the records of its sender are not valid
    if (before.fromEmail !== input.from.email) await this.checkSender(accountId, input);
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await this.checkReferences(tx, accountId, input);
      const [held]: { version: number; text: string }[] = await tx.query(
        `select text_version as version, texts->>'consent' as text from sign_up_forms
         where id = $1 and account_id = $2 for update`,
        [id, accountId],
      );
      if (!held) throw FormErrors.notFound();
      const text = input.texts.consent;
      const version = held.version + (held.text === text ? 0 : 1);
      await tx.query(
        `update sign_up_forms set updated_at = now(), text_version = $2,
           ${WRITTEN.map((name, at) => `${name} = $${at + 3}`).join(', ')} where id = $1`,
        [id, version, ...written(input)],
      );
      await keepText(tx, { accountId, id, version, text });
    });
    return this.get(accountId, id);
  }

  /** Its sign-ups that wait go with it; consents and their words stay. @returns its name @throws ApiError 404 */
  async delete(accountId: AccountId, id: string): Promise<string> {
    const [[deleted]]: [{ name: string }[]] = await this.dataSource.query(
      'delete from sign_up_forms where id = $1 and account_id = $2 returning name',
      [id, accountId],
    );
    if (!deleted) throw FormErrors.notFound();
    return deleted.name;
  }

  private async checkSender(accountId: AccountId, { from }: SignUpFormBody): Promise<void> {
    requireSender(from, await this.senders.find(accountId, { domain: domainOf(from.email) }));
  }

  private async checkReferences(
    tx: EntityManager,
    accountId: AccountId,
    input: SignUpFormBody,
  ): Promise<void> {
    await this.lists.hold(tx, accountId, input.list_id);
    if (input.attributes.length > 0) requireAsked(input, await this.definitions.types(accountId, tx));
    if (!input.welcome) return;
    const { template_id: id } = input.welcome;
    await this.templates.get({ accountId, id }, tx).catch(() => {
      throw FormErrors.noTemplate();
    });
  }
}

/** @throws ApiError 400 */
function requireAsked({ attributes }: SignUpFormBody, types: AttributeTypes): void {
  for (const { key, options } of attributes) {
    const type = types.get(key);
    if (type === undefined) throw FormErrors.noAttribute(key);
    if (type === 'timestamp') throw FormErrors.notAsked(key);
    if (options.length > 0 && type !== 'string') throw FormErrors.noOptions(key);
  }
}

const WRITTEN = [
  'name',
  'list_id',
  'is_open',
  'fields',
  'attributes',
  'texts',
  'accent',
  'from_email',
  'from_name',
  'welcome_template_id',
  'welcome_subject',
] as const;
const written = (input: SignUpFormBody): unknown[] => [
  input.name,
  input.list_id,
  input.is_open,
  input.fields,
  JSON.stringify(input.attributes),
  JSON.stringify(input.texts),
  input.accent,
  input.from.email,
  input.from.name,
  input.welcome?.template_id ?? null,
  input.welcome?.subject ?? '',
];

const keepText = (
  tx: EntityManager,
  { accountId, id, version, text }: { accountId: string; id: string; version: number; text: string },
): Promise<unknown> =>
  tx.query(
    `insert into consent_texts (account_id, form_id, version, text, created_at) values ($1, $2, $3, $4, now())
     on conflict do nothing`,
    [accountId, id, version, text],
  );
