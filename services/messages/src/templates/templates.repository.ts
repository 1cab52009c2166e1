import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/pagination';
import {
  EMPTY_COPY,
  type Publisher,
  type Template,
  type TemplateCopy,
  type TemplateState,
  type TemplateVersion,
} from './template.js';

/** Versions that a template keeps (spec 2-messages §6.4 rule 5). */
const MAX_VERSIONS = 50;

const TEMPLATE = `t.id, t.account_id as "accountId", t.created_at as "createdAt", t.updated_at as "updatedAt", t.name,
  t.editor, t.revision, t.published_id as "publishedId", t.draft_id as "draftId", t.draft_at as "draftAt",
  t.last_version as "lastVersion"`;
const COPY_HEAD = `c.subject, c.preheader, c.sender_email as "senderEmail", c.sender_name as "senderName",
  c.reply_to as "replyTo", c.variables`;
const COPY_FIELDS = `${COPY_HEAD}, c.mjml, c.html, c.text, c.text_is_custom as "textIsCustom"`;
const VERSION = `v.id, v.version, v.published_at as "publishedAt", v.publisher_type as "publisherType",
  v.publisher_id as "publisherId"`;

const TEMPLATE_COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  name: 'text',
  editor: 'text',
  revision: 'int',
  published_id: 'uuid',
  draft_id: 'uuid',
  draft_at: 'timestamptz',
  last_version: 'int',
} as const;

type CopyRow = Omit<TemplateCopy, 'from'> & { senderEmail: string | null; senderName: string };
type CopyHead = Pick<TemplateCopy, 'subject' | 'preheader' | 'from' | 'replyTo' | 'variables'>;
type CopyHeadRow = Omit<CopyHead, 'from'> & { senderEmail: string | null; senderName: string };
type VersionRow = Omit<TemplateVersion, 'publisher'> & {
  publisherType: Publisher['type'] | null;
  publisherId: string | null;
};

export interface ListedTemplate extends PageRow {
  template: Template;
  published: CopyHead;
}

/** Tables of templates. Whoever changes a template says which revision it has read. */
@Injectable()
export class TemplatesRepository {
  /** @returns undefined when the account has no such template or deleted it */
  async find(manager: EntityManager, accountId: AccountId, id: string): Promise<Template | undefined> {
    const rows: Template[] = await manager.query(
      `select ${TEMPLATE} from templates t where t.id = $1 and t.account_id = $2 and t.deleted_at is null`,
      [id, accountId],
    );
    return rows[0];
  }

  /** With its copies as they are at the same moment. */
  async findState(
    manager: EntityManager,
    accountId: AccountId,
    id: string,
  ): Promise<TemplateState | undefined> {
    const rows: (Template & { copyId: string | null } & Omit<CopyRow, 'id'>)[] = await manager.query(
      `select ${TEMPLATE}, c.id as "copyId", ${COPY_FIELDS}
       from templates t left join template_copies c on c.id in (t.draft_id, t.published_id)
       where t.id = $1 and t.account_id = $2 and t.deleted_at is null`,
      [id, accountId],
    );
    const [template] = rows;
    if (!template) return undefined;
    const copyOf = (wanted: string | null): TemplateCopy | undefined => {
      const row = wanted === null ? undefined : rows.find(({ copyId }) => copyId === wanted);
      return row && toCopy({ ...row, id: row.copyId ?? '' });
    };
    const { draftId, publishedId } = template;
    return { template: toTemplate(template), draft: copyOf(draftId), published: copyOf(publishedId) };
  }

  /** Newest first, without bodies. */
  async page(manager: EntityManager, accountId: AccountId, page: PageQuery): Promise<ListedTemplate[]> {
    const { text, parameters } = pageSql(
      {
        text: 'select * from templates where account_id = $1 and deleted_at is null',
        parameters: [accountId],
      },
      page,
    );
    // the page is cut before copies are looked at
    const rows: (Template & PageRow & { [K in keyof CopyHeadRow]: CopyHeadRow[K] | null })[] =
      await manager.query(
        `select t.page_micros, t.page_continues, ${TEMPLATE}, ${COPY_HEAD}
       from (${text}) t left join template_copies c on c.id = t.published_id
       order by ${page.before ? 't.created_at, t.id' : 't.created_at desc, t.id desc'}`,
        [...parameters],
      );
    return rows.map((row) => ({
      id: row.id,
      page_micros: row.page_micros,
      page_continues: row.page_continues,
      template: row,
      published: row.subject === null ? EMPTY_COPY : toHead(row as CopyHeadRow),
    }));
  }

  async insert(tx: EntityManager, template: Template): Promise<void> {
    await insertRows(tx, 'templates', TEMPLATE_COLUMNS, [template]);
  }

  /**
   * @param template as it shall be; its revision is the one after that which was read
   * @returns false when somebody else changed or deleted it since
   */
  async update(tx: EntityManager, template: Template): Promise<boolean> {
    const [, changed]: [unknown, number] = await tx.query(
      `update templates set revision = $2, updated_at = $3, name = $4, published_id = $5, draft_id = $6, draft_at = $7,
         last_version = $8
       where id = $1 and revision = $2 - 1 and deleted_at is null`,
      [
        template.id,
        template.revision,
        template.updatedAt,
        template.name,
        template.publishedId,
        template.draftId,
        template.draftAt,
        template.lastVersion,
      ],
    );
    return changed > 0;
  }

  async insertCopy(tx: EntityManager, templateId: string, copy: TemplateCopy): Promise<void> {
    await insertRows(tx, 'template_copies', COPY_COLUMNS, [{ ...copy, templateId }]);
  }

  /** Makes the published copy a version; the oldest one that is too many goes. */
  async insertVersion(
    tx: EntityManager,
    template: Template,
    publisher: Publisher,
    id: string,
  ): Promise<void> {
    await tx.query(
      `insert into template_versions (template_id, version, id, copy_id, published_at, publisher_type, publisher_id)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        template.id,
        template.lastVersion,
        id,
        template.publishedId,
        template.updatedAt,
        publisher.type,
        publisher.id,
      ],
    );
    await tx.query('delete from template_versions where template_id = $1 and version <= $2', [
      template.id,
      template.lastVersion - MAX_VERSIONS,
    ]);
  }

  /** Copies that are neither draft, nor published, nor of a version: of one template, so at most a few. */
  async dropUnusedCopies(tx: EntityManager, templateId: string): Promise<void> {
    await tx.query(
      `delete from template_copies c where c.template_id = $1
         and not exists (select from templates t where t.id = $1 and c.id in (t.published_id, t.draft_id))
         and not exists (select from template_versions v where v.template_id = $1 and v.copy_id = c.id)`,
      [templateId],
    );
  }

  /** @returns false when there is none */
  async markDeleted(tx: EntityManager, accountId: AccountId, id: string): Promise<boolean> {
    const [, changed]: [unknown, number] = await tx.query(
      `update templates set deleted_at = now(), revision = revision + 1
       where id = $1 and account_id = $2 and deleted_at is null`,
      [id, accountId],
    );
    return changed > 0;
  }

  /** Newest first; at most as many as are kept. */
  async versions(manager: EntityManager, templateId: string): Promise<TemplateVersion[]> {
    const rows: VersionRow[] = await manager.query(
      `select ${VERSION} from template_versions v where v.template_id = $1 order by v.version desc`,
      [templateId],
    );
    return rows.map(withPublisher);
  }

  async version(
    manager: EntityManager,
    templateId: string,
    versionId: string,
  ): Promise<{ version: TemplateVersion; copy: TemplateCopy } | undefined> {
    const rows: (VersionRow & { copyId: string } & Omit<CopyRow, 'id'>)[] = await manager.query(
      `select ${VERSION}, c.id as "copyId", ${COPY_FIELDS}
       from template_versions v join template_copies c on c.id = v.copy_id where v.id = $1 and v.template_id = $2`,
      [versionId, templateId],
    );
    const [row] = rows;
    return row && { version: withPublisher(row), copy: toCopy({ ...row, id: row.copyId }) };
  }
}

const COPY_COLUMNS = {
  id: 'uuid',
  template_id: 'uuid',
  subject: 'text',
  preheader: 'text',
  sender_email: ['text', ({ from }: TemplateCopy) => from?.email],
  sender_name: ['text', ({ from }: TemplateCopy) => from?.name ?? ''],
  reply_to: 'text',
  mjml: 'text',
  html: 'text',
  text: 'text',
  text_is_custom: 'bool',
  variables: 'jsonb',
} as const;

const senderOf = ({ senderEmail, senderName }: Pick<CopyRow, 'senderEmail' | 'senderName'>) =>
  senderEmail === null ? null : { email: senderEmail, name: senderName };

const toHead = (row: CopyHeadRow): CopyHead => ({
  subject: row.subject,
  preheader: row.preheader,
  from: senderOf(row),
  replyTo: row.replyTo,
  variables: row.variables,
});

const toCopy = (row: CopyRow): TemplateCopy => ({
  id: row.id,
  ...toHead(row),
  mjml: row.mjml,
  html: row.html,
  text: row.text,
  textIsCustom: row.textIsCustom,
});

const toTemplate = (row: Template): Template => ({
  id: row.id,
  accountId: row.accountId,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  name: row.name,
  editor: row.editor,
  revision: row.revision,
  publishedId: row.publishedId,
  draftId: row.draftId,
  draftAt: row.draftAt,
  lastVersion: row.lastVersion,
});

const withPublisher = ({
  id,
  version,
  publishedAt,
  publisherType,
  publisherId,
}: VersionRow): TemplateVersion => ({
  id,
  version,
  publishedAt,
  publisher: publisherType && publisherId ? { type: publisherType, id: publisherId } : null,
});
