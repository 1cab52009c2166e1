import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import { CampaignTemplate, type CampaignTemplateHead, type TemplateDesign } from './campaign-template.js';

const HEAD = `id, created_at as "createdAt", updated_at as "updatedAt", name, editor`;

export interface TemplateRef {
  accountId: AccountId;
  id: string;
}

/** Designs for campaigns to copy; scoped to an account, so an id of another account is unknown. */
@Injectable()
export class CampaignTemplatesRepository {
  constructor(@InjectRepository(CampaignTemplate) private readonly templates: Repository<CampaignTemplate>) {}

  /** @throws ApiError 404 */
  async get(ref: TemplateRef, manager = this.templates.manager): Promise<CampaignTemplate> {
    return found(await manager.findOneBy(CampaignTemplate, idOf(ref)));
  }

  /** The same, locked against other transactions until this one ends. @throws ApiError 404 */
  async lock(tx: EntityManager, ref: TemplateRef): Promise<CampaignTemplate> {
    const where = idOf(ref);
    return found(await tx.findOne(CampaignTemplate, { where, lock: { mode: 'pessimistic_write' } }));
  }

  /** The whole design, read by one statement, for a campaign's own copy (rules X3 and X5). @throws ApiError 404 */
  async designOf(tx: EntityManager, ref: TemplateRef): Promise<TemplateDesign> {
    const { editor, design, mjml, html, text, textIsCustom } = await this.get(ref, tx);
    return { editor, design, mjml, html, text, textIsCustom };
  }

  /** Newest first, without designs. @param name a part of the name, in any letter case */
  page(
    { accountId, name }: { accountId: AccountId; name: string | undefined },
    page: PageQuery,
  ): Promise<(CampaignTemplateHead & PageRow)[]> {
    const parameters: unknown[] = [accountId];
    const named = name ? `and position(lower($${parameters.push(name)}) in lower(name)) > 0` : '';
    const text = `select ${HEAD}, created_at from campaign_templates where account_id = $1 ${named}`;
    const query = pageSql({ text, parameters }, page);
    return this.templates.query(query.text, [...query.parameters]);
  }

  async insert(tx: EntityManager, template: CampaignTemplate): Promise<void> {
    await tx.insert(CampaignTemplate, template);
  }

  async update(tx: EntityManager, template: CampaignTemplate): Promise<void> {
    const { id, updatedAt, name, design, mjml, html, text, textIsCustom } = template;
    await tx.update(CampaignTemplate, { id }, { updatedAt, name, design, mjml, html, text, textIsCustom });
  }

  /** Deletes a template for good: campaigns have copies of their own. @returns its name @throws ApiError 404 */
  async delete({ accountId, id }: TemplateRef): Promise<string> {
    const [[deleted]]: [{ name: string }[]] = await this.templates.query(
      'delete from campaign_templates where id = $1 and account_id = $2 returning name',
      [id, accountId],
    );
    return found(deleted).name;
  }
}

const idOf = ({ id, accountId }: TemplateRef): TemplateRef => ({ id, accountId });

function found<Row>(row: Row | null | undefined): Row {
  if (row == null) throw ApiErrors.notFound('template');
  return row;
}
