import { DataSource } from 'typeorm';
import { changeByAttempt, MessageChanged } from '@postmesh/messages-contract';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import type { TestService } from '@postmesh/service-testing';
import { CAMPAIGN_COUNTS } from '../results/campaign-counts.js';

type Attempted = Parameters<typeof DeliveryAttempted.make>[0];
type Changed = Parameters<typeof MessageChanged.make>[0];
type Fetch = NonNullable<Changed['fetch']>;

export interface TestRecipient {
  readonly contactId: string;
  readonly messageId: string;
  readonly email: string;
}

interface Given {
  recipients: number;
  status?: string;
  /** of each recipient */
  recipientStatus?: string;
  /** which of the lists a recipient matched, from 0; left out: all */
  listsOf?: (position: number) => number[];
}

/**
 * A campaign on two lists that was handed over, with contacts, memberships, recipients and counters as after sending.
 * The state machine has no work with it.
 */
export interface TestCampaign {
  readonly id: string;
  readonly listIds: readonly string[];
  readonly recipients: readonly TestRecipient[];
}

export const NAMES_OF_LISTS = ['Secret list one', 'Secret list two'];

export const queryOf =
  (under: TestService) =>
  <R = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<R[]> =>
    under.service.get(DataSource).query(sql, parameters) as Promise<R[]>;

export async function sendingCampaign(under: TestService, given: Given): Promise<TestCampaign> {
  const query = queryOf(under);
  const { accountId } = under;
  const [id, mark] = [newId(), newId().slice(-12)];
  const listIds = NAMES_OF_LISTS.map(() => newId());
  await query(
    `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
     select id, $1, now(), now(), name, '', '{}' from unnest($2::uuid[], $3::text[]) as given(id, name)`,
    [accountId, listIds, NAMES_OF_LISTS],
  );
  await query(
    `insert into campaigns (id, account_id, created_at, updated_at, name, from_email, from_name, from_domain, status)
     values ($1, $2, now(), now(), 'News', 'news@shop.test', 'Shop', 'shop.test', $3)`,
    [id, accountId, given.status ?? 'sent'],
  );
  const recipients = Array.from({ length: given.recipients }, (_, at) => ({
    contactId: newId(),
    messageId: newId(),
    email: `r${at}.${mark}@mail.test`,
  }));
  const columns = [recipients.map((one) => one.contactId), recipients.map((one) => one.email)];
  await query(
    `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
       unsubscribed, attributes)
     select id, $1, '2026-01-01', '2026-01-01', email, '', '', 'enabled', '', false, '{}'
     from unnest($2::uuid[], $3::text[]) as given(id, email)`,
    [accountId, ...columns],
  );
  const matched = given.listsOf ?? (() => [0, 1]);
  const memberships = recipients.flatMap(({ contactId }, at) =>
    matched(at).map((list) => ({ contactId, listId: listIds[list] })),
  );
  await query(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, subscribed_at, created_at, updated_at)
     select list_id, contact_id, $1, 'confirmed', '2026-01-01', '2026-01-01', '2026-01-01'
     from unnest($2::uuid[], $3::uuid[]) as given(list_id, contact_id)`,
    [accountId, memberships.map(({ listId }) => listId), memberships.map(({ contactId }) => contactId)],
  );
  const status = given.recipientStatus ?? 'queued';
  await query(
    `insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids, status, message_id,
       sent_at)
     select $1, n - 1, contact_id, $2, email, array(select list_id from memberships m where m.contact_id = given.contact_id
       order by array_position($3::uuid[], list_id)), $4::text, case when $4 <> 'pending' then message_id end,
       case when $4 <> 'pending' then timestamptz '2026-01-05T08:00:00Z' end
     from unnest($5::uuid[], $6::text[], $7::uuid[]) with ordinality as given(contact_id, email, message_id, n)`,
    [id, accountId, listIds, status, ...columns, recipients.map(({ messageId }) => messageId)],
  );
  await query(
    `insert into campaign_counts (campaign_id, updated_at, ${status}) values ($1, '2026-01-05T08:00:00Z', $2)`,
    [id, recipients.length],
  );
  return { id, listIds, recipients };
}

/** Seconds after eight o'clock. */
export const at = (seconds: number): string =>
  new Date(Date.parse('2026-01-05T08:00:00Z') + seconds * 1_000).toISOString();

const about = (campaign: TestCampaign, { messageId, email }: TestRecipient) => ({
  message_id: messageId,
  send_request_id: messageId,
  campaign_id: campaign.id,
  recipient: email,
});

function exampleOf<T extends object>({ examples: [first] }: { examples: readonly T[] }): T {
  if (!first) throw new Error('an event has an example');
  return first;
}

/** Events as the messages service publishes them. */
export const publishedEvents = (accountId: string, campaign: TestCampaign) => {
  const { reply: _reply, accepted_at: _acceptedAt, ...message } = exampleOf(MessageChanged);
  const changed = (to: TestRecipient, change: Partial<Changed>) =>
    MessageChanged.make({ ...message, ...about(campaign, to), ...change }, { account_id: accountId });
  return {
    attempt: (to: TestRecipient, outcome: DeliveryOutcome, seconds = 10, more: Partial<Attempted> = {}) =>
      changeByAttempt(
        DeliveryAttempted.make(
          {
            ...exampleOf(DeliveryAttempted),
            ...about(campaign, to),
            outcome,
            accepted_at: at(0),
            finished_at: at(seconds),
            ...more,
          },
          { account_id: accountId },
        ),
      ),
    bounceReport: (to: TestRecipient, classification = 'InvalidRecipient', seconds = 500) =>
      changed(to, { change: 'bounced', changed_at: at(seconds), reply: null, classification }),
    fetched: (to: TestRecipient, change: 'opened' | 'clicked', seconds = 100, more: Partial<Fetch> = {}) => {
      const url = change === 'clicked' ? { url: 'https://shop.test/a' } : {};
      const fetch = { ip: '198.51.100.7', user_agent: 'Mozilla/5.0', is_bot: false, ...url, ...more };
      return changed(to, { change, changed_at: at(seconds), fetch });
    },
    complaint: (to: TestRecipient, seconds = 900) =>
      changed(to, { change: 'complained', changed_at: at(seconds) }),
  };
};

/** Also folded: it has to be the same before and after. */
export const fold = (under: TestService): Promise<number> =>
  CAMPAIGN_COUNTS.fold(under.service.get(DataSource), new AbortController().signal);
