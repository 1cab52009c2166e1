import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountChanged } from '@postmesh/accounts-contract';
import { CampaignReviewChanged } from '@postmesh/marketing-contract';
import { MailHostsRequest, type MailHosts } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import { DEFAULT_ACCOUNT, deliver, recordEvents } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import {
  SHOP_DOMAIN_ID,
  startCampaigns,
  type CampaignsUnderTest,
} from '../../testing/campaigns-under-test.js';
import { CampaignFeeder } from '../../sending/campaign-feeder.js';
import { CampaignMachine } from '../campaign-machine.js';

type AccountStatus = 'active' | 'suspended' | 'deleted';
type Review = ReturnType<typeof CampaignReviewChanged.parse>['data'];

/** The state columns of a row of `campaigns`. */
interface StateRow {
  status: string;
  status_reason: string | null;
  send_at: Date | null;
  send_resumes_at: Date | null;
  finished_at: Date | null;
  started_at: Date | null;
  due_at: Date | null;
}

interface DraftOptions {
  members?: number;
  /** instead of a new one */
  list?: string;
}

/** Marketing with accounts that a test suspends, and domains of recipients that a test sets. */
export interface StatesUnderTest extends CampaignsUnderTest {
  /** other accounts are active */
  readonly accounts: Map<string, AccountStatus>;
  /** by domain of a contact; other domains have mail hosts */
  readonly hosts: Map<string, MailHosts>;
  /** requests about mail hosts: their domains */
  readonly asked: string[][];
  /** while set, the delivery worker does not answer */
  workerAway: boolean;
  /** it answers after this promise */
  workerHolds: Promise<void> | undefined;
  readonly reviews: readonly Review[];
  until: Awaited<ReturnType<typeof recordEvents<Review>>>['until'];
  /** a draft that is ready, and its list */
  draft(
    account: string,
    options?: { members?: number; list?: string },
  ): Promise<{ id: string; list: string }>;
  /** a campaign in any status, with pending recipients when it has begun */
  inStatus(account: string, status: string, columns?: Record<string, unknown>): Promise<string>;
  row(id: string): Promise<StateRow>;
  /** resolves with the row when the campaign has the status; sweeps run at once */
  reaches(id: string, status: string): Promise<StateRow>;
  /** runs the machine on it now. @returns the row after the run */
  looked(id: string): Promise<StateRow>;
  accountChanged(account: string, state: 'active' | 'suspended' | 'deleted'): Promise<void>;
  operator(campaign: string, action: string, body?: object): Promise<{ status: number; message?: string }>;
}

export const HTML = '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">stop</a></p>';

export async function startStates(
  databaseUrl: string,
  settings: Partial<Settings> = {},
): Promise<StatesUnderTest> {
  const accounts = new Map<string, AccountStatus>();
  const hosts = new Map<string, MailHosts>();
  const asked: string[][] = [];
  const under = await startCampaigns(databaseUrl, undefined, {
    settings,
    neighbours: {
      accounts: ({ body }) => answerAccounts(accounts, body),
      'delivery-worker': async ({ body }) => {
        if (whole.workerAway) return { status: 503, body: {} };
        const { domains } = MailHostsRequest.parse(body);
        asked.push(domains);
        await whole.workerHolds;
        const found = domains.map((domain) => ({ domain, hosts: hosts.get(domain) ?? 'found' }));
        return { status: 200, body: { domains: found } };
      },
    },
  });
  const reviews = await recordEvents(under.bus, {
    streams: ['accounts'],
    pick: (event) =>
      event.type === CampaignReviewChanged.type ? CampaignReviewChanged.parse(event).data : undefined,
  });
  const machine = under.service.get(CampaignMachine);
  const feeder = under.service.get(CampaignFeeder);
  const row = async (id: string): Promise<StateRow> => {
    const [found] = await under.sql<StateRow>('select * from campaigns where id = $1', [id]);
    if (!found) throw new Error(`there is no campaign ${id}`);
    return found;
  };
  const token = async (id: string) =>
    (await under.sql<{ at: string }>('select lease_token as at from campaigns where id = $1', [id]))[0]?.at;
  const isFree = async (id: string) =>
    (await under.sql('select from campaigns where id = $1 and leased_until is null', [id])).length === 1;
  const whole: StatesUnderTest = Object.assign(under, {
    accounts,
    hosts,
    asked,
    workerAway: false,
    workerHolds: undefined,
    reviews: reviews.events,
    until: reviews.until,
    draft: (account: string, options: DraftOptions = {}) => makeDraft(under, account, options),
    inStatus: (account: string, status: string, columns: Record<string, unknown> = {}) =>
      insertCampaign(under, { account, status, columns }),
    row,
    reaches: (id: string, status: string) =>
      within(async () => {
        const now = await row(id);
        if (now.status === status) return now;
        machine.trigger();
        feeder.raise();
        await pause(50);
        return undefined;
      }, `campaign ${id} does not reach ${status}`),
    looked: async (id: string) => {
      const before = await token(id);
      await under.sql('update campaigns set due_at = now() where id = $1', [id]);
      machine.trigger();
      await within(
        async () => ((await token(id)) !== before && (await isFree(id)) ? true : undefined),
        `campaign ${id} is not processed`,
      );
      return row(id);
    },
    accountChanged: (account_id: string, state: 'active' | 'suspended' | 'deleted') => {
      accounts.set(account_id, state);
      const fact = { account_id, parent_account_id: null, state, revision: accounts.size + 1 };
      return deliver(under.service, [AccountChanged.make(fact, { account_id })]);
    },
    operator: async (campaign: string, action: string, body?: object) => {
      const response = await under.internal('POST', `/operator/campaigns/${campaign}/${action}`, body, 'ann');
      return { status: response.status, message: response.body?.message };
    },
  });
  return whole;
}

function answerAccounts(accounts: ReadonlyMap<string, AccountStatus>, body: unknown) {
  const { account_ids } = body as { account_ids: string[] };
  const known = account_ids.filter((id) => accounts.get(id) !== 'deleted');
  const factsOf = (id: string) => ({ ...DEFAULT_ACCOUNT, status: accounts.get(id) ?? 'active' });
  return { status: 200, body: { accounts: known.map((id) => ({ account_id: id, account: factsOf(id) })) } };
}

async function makeDraft(
  under: CampaignsUnderTest,
  account: string,
  { members = 1, list }: DraftOptions,
): Promise<{ id: string; list: string }> {
  const listId = list ?? (await under.list(account, members));
  const response = await under.campaigns(account, 'POST', '', {
    name: 'Spring',
    subject: 'Spring is here',
    from: { email: 'news@shop.test' },
    list_ids: [listId],
    content: { html: HTML },
  });
  if (response.status !== 201) throw new Error(response.text);
  return { id: response.body.id as string, list: listId };
}

async function within<T>(look: () => Promise<T | undefined>, otherwise: string): Promise<T> {
  const until = performance.now() + 20_000;
  while (performance.now() < until) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(10);
  }
  throw new Error(otherwise);
}

/** All at once: of a campaign that sends and has no batch the service believes that it has ended. */
async function insertCampaign(
  { service, list }: CampaignsUnderTest,
  { account, status, columns }: { account: string; status: string; columns: Record<string, unknown> },
): Promise<string> {
  const id = newId();
  const values = {
    id,
    account_id: account,
    created_at: new Date(),
    updated_at: new Date(),
    name: 'Spring',
    subject: 'Spring is here',
    from_email: 'news@shop.test',
    from_name: '',
    from_domain: 'shop.test',
    from_domain_id: SHOP_DOMAIN_ID,
    status,
    send_at: new Date(),
    editor: 'html',
    html: HTML,
    text: '{{ unsubscribe_url }}',
    started_at: ['sending', 'paused'].includes(status) ? new Date() : null,
    paused_at: status === 'paused' ? new Date() : null,
    pause_cause: status === 'paused' ? 'operator' : null,
    ...columns,
  };
  const listId = await list(account, 2);
  const names = Object.keys(values);
  await service.get(DataSource).transaction(async (tx) => {
    await tx.query(
      `insert into campaigns (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(values),
    );
    await tx.query('insert into campaign_lists (campaign_id, position, list_id) values ($1, 0, $2)', [
      id,
      listId,
    ]);
    if (values.started_at !== null) await insertRecipients(tx, { id, account, listId, status });
  });
  return id;
}

/** Two recipients in a batch that waits to be fed, or, while the campaign sends, until tomorrow. */
async function insertRecipients(
  tx: EntityManager,
  { id, account, listId, status }: { id: string; account: string; listId: string; status: string },
): Promise<void> {
  await tx.query(
    `insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids)
     select $1, row_number() over (order by contact_id) - 1, contact_id, $2, email, array[list_id]
     from memberships join contacts on contacts.id = contact_id where list_id = $3`,
    [id, account, listId],
  );
  await tx.query(
    `insert into campaign_batches (id, account_id, group_key, state, due_at, reason, campaign_id, first_position, last_position)
     values ($1, $2, $3::text, $4, now() + interval '1 day', 'later', $3::uuid, 0, 1)`,
    [newId(), account, id, status === 'sending' ? 'waiting' : 'pending'],
  );
  await tx.query('insert into campaign_counts (campaign_id, updated_at, pending) values ($1, now(), 2)', [
    id,
  ]);
}
