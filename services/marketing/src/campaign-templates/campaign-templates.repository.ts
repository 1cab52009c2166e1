import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/pagination';
import type { CampaignTemplate, CampaignTemplateHead, TemplateDesign } from './campaign-template.js';

const HEAD = `id, created_at as "createdAt", updated_at as "updatedAt", name, editor`;
const DESIGN = `editor, design, mjml, html, text, text_is_custom as "textIsCustom"`;
const WHOLE = `${HEAD}, account_id as "accountId", ${DESIGN}`;

const COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  name: 'text',
  editor: 'text',
  design: 'jsonb',
  mjml: 'text',
  html: 'text',
  text: 'text',
  text_is_custom: 'bool',
} as const;

export interface TemplateRef {
  accountId: AccountId;
  id: string;
}

/** Designs for campaigns to copy; of an account, since an id of another one is unknown. */
@Injectable()
export class CampaignTemplatesRepository {
  /** @throws ApiError 404 */
  async get(manager: EntityManager, { accountId, id }: TemplateRef): Promise<CampaignTemplate> {
    return found(
      await manager.query(`select ${WHOLE} from campaign_templates where id = $1 and account_id = $2`, [
        id,
        accountId,
      ]),
    );
  }

  /** The same, and nobody else changes it until the transaction ends. @throws ApiError 404 */
  async lock(tx: EntityManager, { accountId, id }: TemplateRef): Promise<CampaignTemplate> {
    return found(
      await tx.query(`select ${WHOLE} from campaign_templates where id = $1 and account_id = $2 for update`, [
        id,
        accountId,
      ]),
    );
  }

  /** The whole design as it is at one moment, for a campaign of its own (rules X3 and X5). @throws ApiError 404 */
  async designOf(manager: EntityManager, { accountId, id }: TemplateRef): Promise<TemplateDesign> {
    return found(
      await manager.query(`select ${DESIGN} from campaign_templates where id = $1 and account_id = $2`, [
        id,
        accountId,
      ]),
    );
  }

  /** Newest first, without designs. @param name a part of the name, in any letter case */
  page(
    manager: EntityManager,
    { accountId, name }: { accountId: AccountId; name: string | undefined },
    page: PageQuery,
  ): Promise<(CampaignTemplateHead & PageRow)[]> {
    const parameters: unknown[] = [accountId];
    const named = name ? `and position(lower($${parameters.push(name)}) in lower(name)) > 0` : '';
    const text = `select ${HEAD}, created_at from campaign_templates where account_id = $1 ${named}`;
    const query = pageSql({ text, parameters }, page);
    return manager.query(query.text, [...query.parameters]);
  }

  async insert(tx: EntityManager, template: CampaignTemplate): Promise<void> {
    await insertRows(tx, 'campaign_templates', COLUMNS, [template]);
  }

  async update(tx: EntityManager, template: CampaignTemplate): Promise<void> {
    const { id, updatedAt, name, design, mjml, html, text, textIsCustom } = template;
    await tx.query(
      `update campaign_templates set updated_at = $2, name = $3, design = $4, mjml = $5, html = $6, text = $7,
         text_is_custom = $8
       where id = $1`,
      [id, updatedAt, name, jsonOf(design), mjml, html, text, textIsCustom],
    );
  }

  /** For good: campaigns have copies of their own. @returns what it was called @throws ApiError 404 */
  async delete(manager: EntityManager, { accountId, id }: TemplateRef): Promise<string> {
    const [rows]: [{ name: string }[]] = await manager.query(
      'delete from campaign_templates where id = $1 and account_id = $2 returning name',
      [id, accountId],
    );
    return found(rows).name;
  }
}

/** An array is none of SQL's. */
const jsonOf = (design: unknown): string | null => (design === null ? null : JSON.stringify(design));

function found<Row>([row]: Row[]): Row {
  if (row === undefined) throw ApiErrors.notFound('template');
  return row;
}
