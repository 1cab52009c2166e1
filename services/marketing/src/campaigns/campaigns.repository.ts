import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import { COUNT_OF_LIST } from '../lists/lists.repository.js';
import type { Campaign, CampaignFields, CampaignHead, CampaignSender, NewCampaign } from './campaign.js';
import type { ListFacts } from './campaign-issues.rules.js';
import type { CampaignFilters } from './campaign.schema.js';

const HEAD = `c.id, c.account_id as "accountId", c.created_at as "createdAt", c.updated_at as "updatedAt", c.name,
  c.subject, c.preheader, c.reply_to as "replyTo", c.status, c.status_reason as "statusReason", c.send_at as "sendAt",
  c.send_resumes_at as "sendResumesAt", c.finished_at as "finishedAt", c.editor,
  c.html is not null or c.text is not null as "hasContent", c.content_issues as "contentIssues",
  case when gone.domain_id is null and c.from_email is not null then json_build_object('email', c.from_email,
    'name', c.from_name, 'domain', c.from_domain, 'domainId', c.from_domain_id) end as "from"`;
const EXISTING_LISTS = `array(
  select named.list_id from campaign_lists named join lists on lists.id = named.list_id and lists.deleted_at is null
  where named.campaign_id = c.id order by named.position)`;
const WHOLE = `${HEAD}, c.mjml, c.html, c.text, c.text_is_custom as "textIsCustom", c.design,
  ${EXISTING_LISTS} as "listIds"`;
const FROM_CAMPAIGNS = 'from campaigns c left join deleted_domains gone on gone.domain_id = c.from_domain_id';

const sender = (key: keyof CampaignSender) => (row: NewCampaign) => row.from?.[key];
const COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  name: 'text',
  subject: 'text',
  preheader: 'text',
  from_email: ['text', sender('email')],
  from_name: ['text', sender('name')],
  from_domain: ['text', sender('domain')],
  from_domain_id: ['uuid', sender('domainId')],
  reply_to: 'text',
  editor: 'text',
  design: 'jsonb',
  mjml: 'text',
  html: 'text',
  text: 'text',
  text_is_custom: 'bool',
  content_issues: 'text[]',
} as const;

const LIST_COLUMNS = { campaign_id: 'uuid', position: 'smallint', list_id: 'uuid' } as const;

export type ListedCampaign = CampaignHead & PageRow;

/** Campaigns with their lists. A read returns a campaign and its lists at one point in time. */
@Injectable()
export class CampaignsRepository {
  /** How long a change waits for another one of the same campaign (spec 3-marketing §3.2 U17). Tests shorten it. */
  lockWaitMs = 10_000;

  /** @returns undefined when the account has no such campaign */
  async find(manager: EntityManager, accountId: AccountId, id: string): Promise<Campaign | undefined> {
    const rows: Campaign[] = await manager.query(
      `select ${WHOLE} ${FROM_CAMPAIGNS} where c.id = $1 and c.account_id = $2`,
      [id, accountId],
    );
    return rows[0];
  }

  /**
   * Locks the campaign against other changes until the end of the transaction.
   * @param waitMs the longest wait for another change; after that the statement fails, which is transient
   * @returns undefined when the account has no such campaign
   */
  async lock(
    tx: EntityManager,
    { accountId, id }: { accountId: AccountId; id: string },
    waitMs: number = this.lockWaitMs,
  ): Promise<Campaign | undefined> {
    await tx.query("select set_config('lock_timeout', $1, true)", [String(Math.max(1, Math.ceil(waitMs)))]);
    const found: unknown[] = await tx.query(
      'select from campaigns where id = $1 and account_id = $2 for update',
      [id, accountId],
    );
    // after a wait for a lock, a statement still sees the older rows of other tables: the next statement reads the state
    return found.length === 0 ? undefined : this.find(tx, accountId, id);
  }

  /** Newest first, without designs. */
  page(
    manager: EntityManager,
    accountId: AccountId,
    { filters, page }: { filters: CampaignFilters; page: PageQuery },
  ): Promise<ListedCampaign[]> {
    const parameters: unknown[] = [accountId];
    const given = (condition: string, value: unknown): string =>
      value === undefined ? '' : `and ${condition.replace('?', `$${parameters.push(value)}`)}`;
    const where = [
      given('c.status = any(?::text[])', filters.statuses),
      given('strpos(lower(c.name), lower(?)) > 0', filters.name),
      given('c.created_at >= ?', filters.from),
      given('c.created_at <= ?', filters.to),
    ];
    const { text, parameters: all } = pageSql(
      { text: `select c.* from campaigns c where c.account_id = $1 ${where.join(' ')}`, parameters },
      page,
    );
    const order = page.before ? 'c.created_at, c.id' : 'c.created_at desc, c.id desc';
    return manager.query(
      `select c.page_micros, c.page_continues, ${HEAD}
       from (${text}) c left join deleted_domains gone on gone.domain_id = c.from_domain_id order by ${order}`,
      [...all],
    );
  }

  /**
   * By campaign, for campaigns with an existing list or a segment. A segment counts as one with subscribers: the checks
   * after Send find an empty one.
   */
  async listFacts(manager: EntityManager, ids: readonly string[]): Promise<Map<string, ListFacts>> {
    if (ids.length === 0) return new Map();
    const rows: { id: string; hasSubscribers: boolean }[] = await manager.query(
      `select id, bool_or(is_filled) as "hasSubscribers" from (
         select named.campaign_id as id, ${COUNT_OF_LIST} > 0 as is_filled
         from campaign_lists named join lists on lists.id = named.list_id and lists.deleted_at is null
         where named.campaign_id = any($1::uuid[])
         union all
         select campaign_id, true from campaign_segments where campaign_id = any($1::uuid[])) as audience
       group by id`,
      [ids],
    );
    return new Map(rows.map(({ id, hasSubscribers }) => [id, { hasLists: true, hasSubscribers }]));
  }

  /** Those of the given lists that the account has; locked against deletion until the end of the transaction. */
  async lockLists(tx: EntityManager, accountId: AccountId, listIds: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await tx.query(
      `select id from lists where id = any($1::uuid[]) and account_id = $2 and deleted_at is null
       order by id for share`,
      [listIds, accountId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async insert(tx: EntityManager, campaign: NewCampaign): Promise<void> {
    await insertRows(tx, 'campaigns', COLUMNS, [campaign]);
    await insertLists(tx, campaign);
  }

  /** @param next of a locked campaign */
  async update(tx: EntityManager, next: CampaignFields & { id: string; updatedAt: Date }): Promise<void> {
    const { from } = next;
    await tx.query(
      `update campaigns set updated_at = $2, name = $3, subject = $4, preheader = $5, from_email = $6, from_name = $7,
         from_domain = $8, from_domain_id = $9, reply_to = $10, editor = $11, mjml = $12, html = $13, text = $14,
         text_is_custom = $15, content_issues = $16, design = $17
       where id = $1`,
      [
        next.id,
        next.updatedAt,
        next.name,
        next.subject,
        next.preheader,
        from?.email,
        from?.name,
        from?.domain,
        from?.domainId,
        next.replyTo,
        next.editor,
        next.mjml,
        next.html,
        next.text,
        next.textIsCustom,
        next.contentIssues,
        next.design === null ? null : JSON.stringify(next.design),
      ],
    );
  }

  async replaceLists(tx: EntityManager, next: Pick<Campaign, 'id' | 'listIds'>): Promise<void> {
    await tx.query('delete from campaign_lists where campaign_id = $1', [next.id]);
    await insertLists(tx, next);
  }

  /** Its segments and variants, which the API does not show. */
  async copyAdditions(tx: EntityManager, from: string, to: string): Promise<void> {
    for (const statement of COPY_ADDITIONS) await tx.query(statement, [from, to]);
  }

  async delete(tx: EntityManager, id: string): Promise<void> {
    await tx.query('delete from campaigns where id = $1', [id]);
  }
}

const copyOf = (table: string, columns: string): string =>
  `insert into ${table} (campaign_id, ${columns}) select $2, ${columns} from ${table} where campaign_id = $1`;
const COPY_ADDITIONS = [
  copyOf('campaign_segments', 'segment_id'),
  copyOf('campaign_trials', 'metric, share, wait_minutes'),
  copyOf('campaign_variants', 'variant, subject, template_id, html, text'),
];

async function insertLists(tx: EntityManager, { id, listIds }: Pick<Campaign, 'id' | 'listIds'>) {
  const rows = listIds.map((listId, position) => ({ campaignId: id, position, listId }));
  await insertRows(tx, 'campaign_lists', LIST_COLUMNS, rows);
}

/** @throws ApiError 400 that names the first missing list */
export function requireLists(listIds: readonly string[], existing: ReadonlySet<string>): void {
  const missing = listIds.find((id) => !existing.has(id));
  if (missing !== undefined) throw new ApiError(400, `list ${missing} not found`);
}
