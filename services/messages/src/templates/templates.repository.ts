import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThanOrEqual, Repository, type EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import {
  EMPTY_COPY,
  StoredCopy,
  StoredVersion,
  Template,
  type Publisher,
  type TemplateCopy,
  type TemplateState,
  type TemplateVersion,
} from './template.js';

/** Versions that a template keeps (spec 2-messages §6.4 rule 5). */
const MAX_VERSIONS = 50;

/** More templates of one name are not looked at. */
const MAX_NAMESAKES = 20;

const LISTED = `t.id, t.account_id as "accountId", t.created_at as "createdAt", t.updated_at as "updatedAt", t.name,
  t.editor, t.revision, t.published_id as "publishedId", t.draft_id as "draftId", t.draft_at as "draftAt",
  t.last_version as "lastVersion", c.subject, c.preheader, c.sender_email as "senderEmail",
  c.sender_name as "senderName", c.reply_to as "replyTo", c.variables`;

type CopyHead = Pick<TemplateCopy, 'subject' | 'preheader' | 'from' | 'replyTo' | 'variables'>;
type StoredHead = Pick<
  StoredCopy,
  'subject' | 'preheader' | 'senderEmail' | 'senderName' | 'replyTo' | 'variables'
>;

export interface ListedTemplate extends PageRow {
  template: Template;
  published: CopyHead;
}

/** Tables of templates. An update is conditional on the revision that was read. */
@Injectable()
export class TemplatesRepository {
  constructor(
    @InjectRepository(Template) private readonly templates: Repository<Template>,
    @InjectRepository(StoredVersion) private readonly stored: Repository<StoredVersion>,
  ) {}

  /** @returns null when the account has no such template or deleted it */
  find(accountId: AccountId, id: string): Promise<Template | null> {
    return this.templates.findOneBy({ id, accountId });
  }

  /** With its copies, from the same snapshot. */
  async findState(accountId: AccountId, id: string): Promise<TemplateState | undefined> {
    const where = { id, accountId };
    const [found] = await this.templates.find({ where, relations: { draft: true, published: true } });
    return found && toState(found);
  }

  /** Those of a name, with their copies. */
  async named(accountId: AccountId, name: string): Promise<TemplateState[]> {
    const where = { name, accountId };
    const relations = { draft: true, published: true };
    return (await this.templates.find({ where, relations, take: MAX_NAMESAKES })).map(toState);
  }

  /** Newest first, without bodies. */
  async page(accountId: AccountId, page: PageQuery): Promise<ListedTemplate[]> {
    const { text, parameters } = pageSql(
      {
        text: 'select * from templates where account_id = $1 and deleted_at is null',
        parameters: [accountId],
      },
      page,
    );
    // the page is limited before copies are joined
    const rows: (Template & PageRow & { [K in keyof StoredHead]: StoredHead[K] | null })[] =
      await this.templates.query(
        `select t.page_micros, t.page_continues, ${LISTED}
       from (${text}) t left join template_copies c on c.id = t.published_id
       order by ${page.before ? 't.created_at, t.id' : 't.created_at desc, t.id desc'}`,
        [...parameters],
      );
    return rows.map((row) => ({
      id: row.id,
      page_micros: row.page_micros,
      page_continues: row.page_continues,
      template: row,
      published: row.subject === null ? EMPTY_COPY : toHead(row as StoredHead),
    }));
  }

  async insert(tx: EntityManager, template: Template): Promise<void> {
    await tx.insert(Template, template);
  }

  /**
   * @param template the new state; its revision is one above the revision that was read
   * @returns false when another write changed or deleted it since
   */
  async update(tx: EntityManager, template: Template): Promise<boolean> {
    const { id, revision, updatedAt, name, publishedId, draftId, draftAt, lastVersion } = template;
    const { affected } = await tx.update(
      Template,
      { id, revision: revision - 1, deletedAt: IsNull() },
      { revision, updatedAt, name, publishedId, draftId, draftAt, lastVersion },
    );
    return affected === 1;
  }

  async insertCopy(tx: EntityManager, templateId: string, { from, ...copy }: TemplateCopy): Promise<void> {
    const sender = { senderEmail: from?.email ?? null, senderName: from?.name ?? '' };
    await tx.insert(StoredCopy, { ...copy, ...sender, templateId });
  }

  /** Makes the published copy a version; deletes the oldest above the limit. */
  async insertVersion(
    tx: EntityManager,
    { id: templateId, lastVersion: version, publishedId, updatedAt }: Template,
    publisher: Publisher,
    id: string,
  ): Promise<void> {
    await tx.insert(StoredVersion, {
      templateId,
      version,
      id,
      copyId: publishedId ?? undefined,
      publishedAt: updatedAt,
      publisherType: publisher.type,
      publisherId: publisher.id,
    });
    await tx.delete(StoredVersion, { templateId, version: LessThanOrEqual(version - MAX_VERSIONS) });
  }

  /** Deletes copies without a reference from a draft, published copy or version: of one template, so at most a few. */
  async dropUnusedCopies(tx: EntityManager, templateId: string): Promise<void> {
    await tx.query(
      `delete from template_copies c where c.template_id = $1
         and not exists (select from templates t where t.id = $1 and c.id in (t.published_id, t.draft_id))
         and not exists (select from template_versions v where v.template_id = $1 and v.copy_id = c.id)`,
      [templateId],
    );
  }

  /** @returns false when it does not exist */
  async markDeleted(accountId: AccountId, id: string): Promise<boolean> {
    const { affected } = await this.templates.update(
      { id, accountId, deletedAt: IsNull() },
      { deletedAt: () => 'now()', revision: () => 'revision + 1' },
    );
    return affected === 1;
  }

  /** Newest first; at most the limit of versions. */
  async versions(templateId: string): Promise<TemplateVersion[]> {
    const found = await this.stored.find({ where: { templateId }, order: { version: 'DESC' } });
    return found.map(toVersion);
  }

  async version(
    templateId: string,
    id: string,
  ): Promise<{ version: TemplateVersion; copy: TemplateCopy } | undefined> {
    const [found] = await this.stored.find({ where: { id, templateId }, relations: { copy: true } });
    return found?.copy && { version: toVersion(found), copy: toCopy(found.copy) };
  }
}

const toHead = ({ senderEmail, senderName, ...head }: StoredHead): CopyHead => ({
  subject: head.subject,
  preheader: head.preheader,
  from: senderEmail === null ? null : { email: senderEmail, name: senderName },
  replyTo: head.replyTo,
  variables: head.variables,
});

const toCopy = (stored: StoredCopy): TemplateCopy => {
  const { id, mjml, html, text, textIsCustom, design } = stored;
  return { id, ...toHead(stored), mjml, html, text, textIsCustom, design };
};

const toState = ({ draft, published, ...template }: Template): TemplateState => ({
  template,
  draft: draft ? toCopy(draft) : undefined,
  published: published ? toCopy(published) : undefined,
});

const toVersion = ({
  id,
  version,
  publishedAt,
  publisherType,
  publisherId,
}: StoredVersion): TemplateVersion => ({
  id,
  version,
  publishedAt,
  publisher: publisherType && publisherId ? { type: publisherType, id: publisherId } : null,
});
