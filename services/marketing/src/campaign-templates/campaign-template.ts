import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import type { DesignBody, Editor } from '@postmesh/designs';

/** The part of a template that a campaign copies. */
export interface TemplateDesign extends DesignBody {
  editor: Editor;
  /** the blocks of the editor `simple`; null for the others */
  design: object | null;
}

@Entity('campaign_templates')
export class CampaignTemplate implements TemplateDesign {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
  @Column('text') name!: string;
  @Column('text') editor!: Editor;
  @Column('jsonb', { nullable: true }) design!: object | null;
  @Column('text', { nullable: true }) mjml!: string | null;
  @Column('text', { nullable: true }) html!: string | null;
  @Column('text', { nullable: true }) text!: string | null;
  @Column('boolean', { name: 'text_is_custom' }) textIsCustom!: boolean;
}

/** A template without its design, for lists. */
export type CampaignTemplateHead = Pick<
  CampaignTemplate,
  'id' | 'createdAt' | 'updatedAt' | 'name' | 'editor'
>;

/** The fields that a write can change. */
export type CampaignTemplateFields = Pick<CampaignTemplate, 'name' | 'design' | keyof DesignBody>;
