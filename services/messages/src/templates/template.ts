import { Column, DeleteDateColumn, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NO_DESIGN, type DesignBody, type Editor } from '@postmesh/designs';

/**
 * A value of a template per recipient of a send; required when it is used outside of a fallback
 * (spec 2-messages §4 rules 14 and 15).
 */
export interface TemplateVariable {
  name: string;
  required: boolean;
}

/** The fields of a copy, in the form in which writes change them. */
export interface CopyFields extends DesignBody {
  /** '' until set */
  subject: string;
  preheader: string;
  from: { email: string; name: string } | null;
  replyTo: string | null;
  /** the blocks of the editor `simple`; null for the others */
  design: object | null;
}

/** An immutable state of a template: its draft, its published copy, one of its versions. */
export interface TemplateCopy extends CopyFields {
  id: string;
  variables: TemplateVariable[];
}

/** A stored copy, such as the one of a version, or a new one. */
export type DraftCopy = CopyFields & Partial<Pick<TemplateCopy, 'id' | 'variables'>>;

/** The content of a template before anything is published. */
export const EMPTY_COPY: CopyFields & Pick<TemplateCopy, 'variables'> = {
  subject: '',
  preheader: '',
  from: null,
  replyTo: null,
  ...NO_DESIGN,
  design: null,
  variables: [],
};

const time = (name: string) => ({ type: 'timestamptz', name, precision: 3 }) as const;

/** A row of copies. */
@Entity('template_copies')
export class StoredCopy {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'template_id' }) templateId!: string;
  @Column('text') subject!: string;
  @Column('text') preheader!: string;
  @Column('text', { name: 'sender_email', nullable: true }) senderEmail!: string | null;
  @Column('text', { name: 'sender_name' }) senderName!: string;
  @Column('text', { name: 'reply_to', nullable: true }) replyTo!: string | null;
  @Column('text', { nullable: true }) mjml!: string | null;
  @Column('text', { nullable: true }) html!: string | null;
  @Column('text', { nullable: true }) text!: string | null;
  @Column('boolean', { name: 'text_is_custom' }) textIsCustom!: boolean;
  @Column('jsonb') variables!: TemplateVariable[];
  @Column('jsonb', { nullable: true }) design!: object | null;
}

/** Reads leave out deleted templates. */
@Entity('templates')
export class Template {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'account_id' }) accountId!: string;
  @Column(time('created_at')) createdAt!: Date;
  /** last change of the name or of the published copy */
  @Column(time('updated_at')) updatedAt!: Date;
  @DeleteDateColumn({ ...time('deleted_at'), select: false }) deletedAt?: Date | null;
  @Column('text') name!: string;
  @Column('text') editor!: Editor;
  /** changes with every change; a write is conditional on the revision that it has read */
  @Column('int') revision!: number;
  @Column('uuid', { name: 'published_id', nullable: true }) publishedId!: string | null;
  @Column('uuid', { name: 'draft_id', nullable: true }) draftId!: string | null;
  @Column({ ...time('draft_at'), nullable: true }) draftAt!: Date | null;
  /** number of the newest version; 0: never published */
  @Column('int', { name: 'last_version' }) lastVersion!: number;
  /** loaded where requested */
  @ManyToOne(() => StoredCopy)
  @JoinColumn({ name: 'published_id' })
  published?: StoredCopy | null;
  @ManyToOne(() => StoredCopy)
  @JoinColumn({ name: 'draft_id' })
  draft?: StoredCopy | null;
}

/** The publisher of a version. */
export interface Publisher {
  type: 'user' | 'api_key';
  id: string;
}

/** A row of versions. */
@Entity('template_versions')
export class StoredVersion {
  @PrimaryColumn('uuid', { name: 'template_id' }) templateId!: string;
  @PrimaryColumn('int') version!: number;
  @Column('uuid') id!: string;
  @Column('uuid', { name: 'copy_id' }) copyId!: string;
  @Column(time('published_at')) publishedAt!: Date;
  @Column('text', { name: 'publisher_type', nullable: true }) publisherType!: Publisher['type'] | null;
  @Column('uuid', { name: 'publisher_id', nullable: true }) publisherId!: string | null;
  /** loaded where requested */
  @ManyToOne(() => StoredCopy)
  @JoinColumn({ name: 'copy_id' })
  copy?: StoredCopy;
}

export interface TemplateVersion {
  id: string;
  /** from 1, per template */
  version: number;
  publishedAt: Date;
  publisher: Publisher | null;
}

/** A template with its copies, at one revision. */
export interface TemplateState {
  template: Template;
  /** undefined: there is none */
  draft: TemplateCopy | undefined;
  published: TemplateCopy | undefined;
}
