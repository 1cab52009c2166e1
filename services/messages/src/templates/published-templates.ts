import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import type { TemplateVariable } from './template.js';

// Copies for repeated sends; two of the largest fit.
const MAX_CACHED_BYTES = 8 * 1024 * 1024;
// a row without its bodies
const ROW_BYTES = 1_024;

/** The fields of a template for sends: its published copy (spec 2-messages §6.4 rule 7). */
export interface PublishedTemplate {
  id: string;
  /** '' when none is published */
  subject: string;
  preheader: string;
  from: { email: string; name: string } | null;
  replyTo: { email: string; name: string } | null;
  /** source, without the preview text */
  html: string | undefined;
  text: string | undefined;
  variables: readonly TemplateVariable[];
  /** changes with every change of the template */
  revision: number;
}

/** A copy never changes, so a cache entry under its id is never stale. */
interface PublishedCopy extends Omit<PublishedTemplate, 'id' | 'revision'> {
  copyId: string;
}

interface Row {
  revision: number;
  copyId: string | null;
  isKnown: boolean;
  subject: string | null;
  preheader: string | null;
  senderEmail: string | null;
  senderName: string | null;
  replyTo: string | null;
  html: string | null;
  text: string | null;
  variables: TemplateVariable[] | null;
}

/** The published copies of templates, for sends. */
@Injectable()
export class PublishedTemplates {
  private readonly copies = new LRUCache<string, PublishedCopy>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ html = '', text = '' }) => 2 * (html.length + text.length) + ROW_BYTES,
  });

  constructor(private readonly dataSource: DataSource) {}

  /**
   * One read by primary key, which leaves out the bodies of a cached copy: the next send sees a publish.
   * @returns undefined when the account has no such template or deleted it; without html and text when nothing is published
   */
  async find(accountId: string, templateId: string): Promise<PublishedTemplate | undefined> {
    const known = this.copies.get(templateId);
    const [row]: Row[] = await this.dataSource.query(FIND, [templateId, accountId, known?.copyId ?? null]);
    if (!row) return undefined;
    const { copyId, ...copy } = known && row.isKnown ? known : toCopy(row);
    if (row.copyId !== null && !row.isKnown) this.copies.set(templateId, { copyId, ...copy });
    return { id: templateId, revision: row.revision, ...copy };
  }
}

// the case expression avoids reading the bodies of a cached copy
const FIND = `select t.revision, t.published_id as "copyId", t.published_id is not distinct from $3::uuid as "isKnown",
    c.subject, c.preheader, c.sender_email as "senderEmail", c.sender_name as "senderName", c.reply_to as "replyTo",
    c.variables, case when c.id is distinct from $3::uuid then c.html end as html,
    case when c.id is distinct from $3::uuid then c.text end as text
  from templates t left join template_copies c on c.id = t.published_id
  where t.id = $1 and t.account_id = $2 and t.deleted_at is null`;

function toCopy(row: Row): PublishedCopy {
  return {
    copyId: row.copyId ?? '',
    subject: row.subject ?? '',
    preheader: row.preheader ?? '',
    from: row.senderEmail === null ? null : { email: row.senderEmail, name: row.senderName ?? '' },
    replyTo: row.replyTo === null ? null : { email: row.replyTo, name: '' },
    html: row.html ?? undefined,
    text: row.text ?? undefined,
    variables: row.variables ?? [],
  };
}
