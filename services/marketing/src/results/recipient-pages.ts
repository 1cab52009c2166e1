import type { DataSource, EntityManager } from 'typeorm';
import type { PageQuery, PageRow } from '@postmesh/http';
import type { ListRecipientsQuery, RecipientRow } from './results.schema.js';

interface RecipientsOf {
  readonly campaignId: string;
  readonly filters: ListRecipientsQuery;
}

const COLUMNS = `campaign_id, contact_id, email, list_ids, status, status_reason, message_id, sent_at, delivered_at,
  opened_at, clicked_at, unsubscribed_at, complained_at, open_count, click_count,
  (select from_domain from campaigns where campaigns.id = campaign_id) as from_domain,
  contact_id as id, position as page_micros`;

/**
 * One page of recipients, in the order of the snapshot: the position takes the place of the time in `toPage`.
 * The query reads one row more than the page holds.
 */
export async function recipientPage(
  database: Pick<DataSource | EntityManager, 'query'>,
  { campaignId, filters }: RecipientsOf,
  page: PageQuery,
): Promise<(RecipientRow & PageRow)[]> {
  const parameters: unknown[] = [campaignId, page.limit + 1];
  const wanted = [`campaign_id = $1`, ...conditions(filters, parameters)].join(' and ');
  const key = page.before ?? page.after;
  const from = key && parameters.push(key.createdAtMicros);
  const rest = `select true from campaign_recipients where ${wanted} and position >= $${from}::bigint`;
  const continues = page.before ? `(${rest} order by position limit 1) is not null` : 'false';
  const beyond = from ? `and position ${page.before ? '<' : '>'} $${from}::bigint` : '';
  return database.query(
    `select ${COLUMNS}, ${continues} as page_continues from campaign_recipients where ${wanted} ${beyond}
     order by position ${page.before ? 'desc' : ''} limit $2`,
    parameters,
  );
}

const REACTIONS = ['opened', 'clicked', 'unsubscribed', 'complained'] as const;

function conditions(filters: ListRecipientsQuery, parameters: unknown[]): string[] {
  const { status, email } = filters;
  return [
    ...(status === undefined ? [] : [`status = $${parameters.push(status)}`]),
    // a blank address is empty after trimming
    ...(email ? [`email = $${parameters.push(email)}`] : []),
    ...REACTIONS.flatMap((name) =>
      filters[name] === undefined ? [] : [`${name}_at is ${filters[name] ? 'not ' : ''}null`],
    ),
  ];
}
