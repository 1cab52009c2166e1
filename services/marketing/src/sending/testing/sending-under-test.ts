import { DataSource } from 'typeorm';
import {
  CampaignSendRequest,
  type CampaignSendOutcome,
  type CampaignSendProblem,
} from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import { DEFAULT_ACCOUNT, startTestService, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { MARKETING_SERVICE } from '../../marketing.definition.js';
import { CampaignFeeder } from '../campaign-feeder.js';
import { CancelRecipients } from '../cancel-recipients.js';
import { StartCampaign } from '../start-campaign.js';

/** A messages service that stores each message once, with failures that a test sets. */
class MessagesDouble {
  /** messages by id, with their recipients */
  readonly stored = new Map<string, { email: string; campaignId: string }>();
  readonly requests: CampaignSendRequest[] = [];
  problem: CampaignSendProblem | undefined;
  /** for a request: an HTTP status instead of its result; it may have been stored all the same */
  breaks: (request: CampaignSendRequest) => { status: number; isStored: boolean } | undefined = () =>
    undefined;
  outcomeOf: (email: string) => CampaignSendOutcome['outcome'] = () => 'accepted';

  /** it answers after this promise */
  holds: () => Promise<void> = async () => {};

  async respond(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
    if (path !== '/internal/campaign-sends') return { status: 404, body: {} };
    const request = CampaignSendRequest.parse(body);
    this.requests.push(request);
    await this.holds();
    const broken = this.breaks(request);
    if (broken && !broken.isStored) return { status: broken.status, body: {} };
    const known = request.recipients.every(({ message_id }) => this.stored.has(message_id));
    if (this.problem && !known) return { status: 200, body: { ok: false, problem: this.problem } };
    const recipients = request.recipients.map(({ message_id, email }) => {
      const outcome = this.outcomeOf(email);
      if (outcome !== 'failed') this.stored.set(message_id, { email, campaignId: request.campaign_id });
      return { message_id, outcome, ...(outcome === 'failed' ? { reason: 'no such filter' } : {}) };
    });
    return broken ? { status: broken.status, body: {} } : { status: 200, body: { ok: true, recipients } };
  }
}

interface CampaignWanted {
  accountId?: string;
  lists: readonly string[];
  name?: string;
}

export interface SendingUnderTest extends TestService {
  readonly messages: MessagesDouble;
  readonly snapshot: StartCampaign;
  readonly accountId: string;
  sql<Row = Record<string, unknown>>(statement: string, parameters?: unknown[]): Promise<Row[]>;
  list(accountId?: string): Promise<string>;
  /** contacts, confirmed on these lists; their ids, in the order of sending */
  contacts(count: number, lists: readonly string[], accountId?: string): Promise<string[]>;
  /** a campaign that is about to send */
  campaign(wanted: CampaignWanted): Promise<string>;
  /** starts the campaign like the state machine */
  start(campaignId: string): Promise<number>;
  resume(campaignId: string): Promise<void>;
  cancel(campaignId: string): Promise<void>;
  statusOf(campaignId: string): Promise<{ status: string; pause_cause: string | null }>;
  /** recipients by status */
  counts(campaignId: string): Promise<Record<string, number>>;
  batches(campaignId: string): Promise<number>;
}

/** Marketing with a double of the messages service, which several instances may share. */
export async function startSending(
  databaseUrl: string,
  settings: Partial<Settings> = {},
  messages = new MessagesDouble(),
): Promise<SendingUnderTest> {
  const under = await startTestService(MARKETING_SERVICE, {
    databaseUrl,
    settings: { databasePoolSize: 10, ...settings },
    neighbours: {
      messages: ({ path, body }) => messages.respond(path, body),
      accounts: ({ body }) => {
        const { account_ids } = body as { account_ids: string[] };
        const accounts = account_ids.map((account_id) => ({ account_id, account: DEFAULT_ACCOUNT }));
        return { status: 200, body: { accounts } };
      },
    },
  });
  const database = under.service.get(DataSource);
  const made = makers(database, under.accountId);
  const snapshot = under.service.get(StartCampaign);
  return Object.assign(under, made, movers(under, made.sql), { messages, snapshot });
}

type Sql = SendingUnderTest['sql'];

/** Creates rows of campaigns. */
function makers(database: DataSource, own: string) {
  const sql: Sql = (statement, parameters = []) => database.query(statement, parameters);
  return {
    sql,
    list: async (accountId = own) => {
      const id = newId();
      await sql(
        `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
         values ($1, $2, now(), now(), 'List', '', '{}')`,
        [id, accountId],
      );
      return id;
    },
    contacts: (count: number, lists: readonly string[], accountId = own) =>
      makeContacts(database, { count, lists, accountId }),
    campaign: async ({ accountId = own, lists, name = 'News' }: CampaignWanted) => {
      const id = newId();
      await sql(
        `insert into campaigns (id, account_id, created_at, updated_at, name, subject, from_email, from_name,
           from_domain, status, send_at, editor, text)
         values ($1, $2, now(), now(), $3, 'Hello {{ first_name }}', 'news@shop.test', 'Shop', 'shop.test',
           'scheduled', now(), 'html', 'text {{ unsubscribe_url }}')`,
        [id, accountId, name],
      );
      await sql(
        `insert into campaign_lists (campaign_id, position, list_id)
         select $1, nth, id from unnest($2::uuid[]) with ordinality as given(id, nth)`,
        [id, lists],
      );
      return id;
    },
  };
}

/** Actions of the state machine, and the state after them. */
function movers(under: TestService, sql: Sql) {
  const database = under.service.get(DataSource);
  const feeder = under.service.get(CampaignFeeder);
  const move = (id: string, status: string) =>
    sql(
      `update campaigns set status = $2, started_at = coalesce(started_at, clock_timestamp()), pause_cause = null
      where id = $1`,
      [id, status],
    );
  return {
    start: async (campaignId: string) => {
      const recipients = await database.transaction(async (tx) => {
        await tx.query(
          `update campaigns set status = 'sending', started_at = clock_timestamp() where id = $1`,
          [campaignId],
        );
        return under.service.get(StartCampaign).execute(tx, campaignId);
      });
      feeder.raise();
      return recipients;
    },
    resume: async (campaignId: string) => {
      await move(campaignId, 'sending');
      feeder.raise();
    },
    cancel: async (campaignId: string) => {
      await database.transaction(async (tx) => {
        await tx.query(`update campaigns set status = 'canceled' where id = $1`, [campaignId]);
        await under.service.get(CancelRecipients).execute(tx, campaignId);
      });
      feeder.raise();
    },
    statusOf: async (campaignId: string) => {
      const [row] = await sql<{ status: string; pause_cause: string | null }>(
        'select status, pause_cause from campaigns where id = $1',
        [campaignId],
      );
      return row ?? { status: 'gone', pause_cause: null };
    },
    counts: async (campaignId: string) => {
      const rows = await sql<{ status: string; count: number }>(
        `select status, count(*)::int as count from campaign_recipients where campaign_id = $1 group by status`,
        [campaignId],
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    batches: async (campaignId: string) => {
      const [row] = await sql<{ count: number }>(
        'select count(*)::int as count from campaign_batches where campaign_id = $1',
        [campaignId],
      );
      return row?.count ?? 0;
    },
  };
}

async function makeContacts(
  database: DataSource,
  { count, lists, accountId }: { count: number; lists: readonly string[]; accountId: string },
): Promise<string[]> {
  const made: { id: string }[] = await database.query(
    `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
       unsubscribed, attributes)
     select gen_random_uuid(), $1, now(), now(), nth || '-' || gen_random_uuid() || '@mail.test', 'Ann', nth::text,
       'enabled', '', false, '{}' from generate_series(1, $2::int) as given(nth) order by given.nth returning id`,
    [accountId, count],
  );
  const ids = made.map(({ id }) => id);
  await database.query(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
     select list_id, contact_id, $3, 'confirmed', now() + nth * interval '1 millisecond', now()
     from unnest($1::uuid[]) as l(list_id) cross join unnest($2::uuid[]) with ordinality as c(contact_id, nth)`,
    [lists, ids, accountId],
  );
  return ids;
}
