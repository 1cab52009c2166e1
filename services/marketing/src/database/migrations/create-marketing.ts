import type { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'timestamptz(3)';

/** Contacts, lists, campaigns and campaign templates with their counters (docs/contract/3-marketing.md). */
export class CreateMarketing1764100001120 implements MigrationInterface {
  name = 'CreateMarketing1764100001120';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...contacts, ...lists, ...templates, ...campaigns, ...sending, ...results]) {
      await runner.query(statement);
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const contacts = [
  `create table attribute_definitions (
    account_id uuid not null,
    key text not null,
    type text not null check (type in ('string', 'number', 'boolean', 'date', 'timestamp')),
    created_at ${TIME} not null,
    primary key (account_id, key)
  )`,
  // mailable: spec 3-marketing §1.4 rule 3, in one place for all queries
  `create table contacts (
    id uuid primary key,
    account_id uuid not null,
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    email text not null,
    first_name text not null,
    last_name text not null,
    status text not null check (status in ('enabled', 'disabled', 'blocked')),
    status_reason text not null,
    unsubscribed boolean not null,
    unsubscribed_at ${TIME} check ((unsubscribed_at is not null) = unsubscribed),
    attributes jsonb not null,
    validation_status text not null default 'unvalidated'
      check (validation_status in ('unvalidated', 'valid', 'invalid', 'risky', 'unknown')),
    last_validated_at ${TIME},
    mailable boolean not null generated always as
      (status = 'enabled' and not unsubscribed and validation_status <> 'invalid') stored
  )`,
  'create unique index contacts_email on contacts (account_id, email)',
  'create index contacts_page on contacts (account_id, created_at desc, id desc)',
  // most contacts are enabled and subscribed, and are found by the index of the whole list
  `create index contacts_by_status on contacts (account_id, status, created_at desc, id desc)
    where status <> 'enabled'`,
  `create index contacts_unsubscribed on contacts (account_id, created_at desc, id desc) where unsubscribed`,
  // each change of the flag, so that a resubscription keeps the earlier records
  `create table contact_unsubscribes (
    id bigint generated always as identity primary key,
    contact_id uuid not null references contacts on delete cascade,
    unsubscribed boolean not null,
    source text not null check (source in ('account', 'import', 'recipient')),
    campaign_id uuid,
    created_at ${TIME} not null
  )`,
  'create index contact_unsubscribes_contact on contact_unsubscribes (contact_id)',
];

const lists = [
  // deleted lists stay because of their memberships
  `create table lists (
    id uuid primary key,
    account_id uuid not null,
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    name text not null,
    description text not null,
    tags text[] not null,
    deleted_at ${TIME},
    contact_count bigint not null default 0
  ) with (fillfactor = 80)`,
  'create index lists_page on lists (account_id, created_at desc, id desc) where deleted_at is null',
  // contact_count of a list is the column plus the sum of these rows, which are folded into it periodically
  `create table list_count_deltas (
    id bigint generated always as identity primary key,
    list_id uuid not null,
    delta int not null
  )`,
  'create index list_count_deltas_list on list_count_deltas (list_id)',
  // no cascade: the deletion of a contact deletes its memberships first, while it is known whether they were counted
  `create table memberships (
    list_id uuid not null references lists,
    contact_id uuid not null references contacts,
    account_id uuid not null,
    subscription_status text not null
      check (subscription_status in ('unconfirmed', 'confirmed', 'unsubscribed', 'complained')),
    subscribed_at ${TIME},
    unsubscribed_at ${TIME},
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    primary key (list_id, contact_id)
  )`,
  'create index memberships_page on memberships (list_id, created_at desc, contact_id desc)',
  `create index memberships_by_status on memberships
    (list_id, subscription_status, created_at desc, contact_id desc)`,
  'create index memberships_contact on memberships (contact_id, created_at desc, list_id desc)',
];

/** Columns of a campaign and of a campaign template. `design`: the blocks of the simple editor. */
const DESIGN = `
    editor text check (editor in ('advanced', 'simple', 'html')),
    design jsonb,
    mjml text,
    html text,
    text text,
    text_is_custom boolean not null default false`;

const templates = [
  `create table campaign_templates (
    id uuid primary key,
    account_id uuid not null,
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    name text not null,${DESIGN}
  )`,
  'create index campaign_templates_page on campaign_templates (account_id, created_at desc, id desc)',
];

const campaigns = [
  // The columns from `due_at` on belong to the state machine: the time of its next run, the lease, the reason of a
  // pause. The sender's domain is stored by name and id: a domain added again is another one.
  `create table campaigns (
    id uuid primary key,
    account_id uuid not null,
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    name text not null,
    subject text,
    preheader text,
    from_email text,
    from_name text,
    from_domain text,
    from_domain_id uuid,
    reply_to text,
    status text not null default 'draft' check (status in ('draft', 'validating', 'waiting_for_review', 'scheduled',
      'sending', 'paused', 'sent', 'canceled', 'failed')),
    status_reason text,
    send_at ${TIME},
    send_resumes_at ${TIME},
    finished_at ${TIME},${DESIGN},
    due_at ${TIME},
    leased_until ${TIME},
    lease_token bigint not null default 0,
    started_at ${TIME},
    paused_at ${TIME},
    pause_cause text
  ) with (fillfactor = 80)`,
  'create index campaigns_page on campaigns (account_id, created_at desc, id desc)',
  'create index campaigns_due on campaigns (due_at) where due_at is not null',
  // for a domain that is deleted, paused, or loses its DNS records
  `create index campaigns_of_domain on campaigns (from_domain_id) where from_domain_id is not null`,
  `create table campaign_lists (
    campaign_id uuid not null references campaigns on delete cascade,
    position smallint not null,
    list_id uuid not null,
    primary key (campaign_id, position)
  )`,
  'create index campaign_lists_list on campaign_lists (list_id)',
];

const sending = [
  // no row: the limit of the settings; a row with null: no limit
  `create table marketing_limits (
    account_id uuid primary key,
    daily_limit int,
    has_daily_limit boolean not null default false,
    review_every_campaign boolean not null default false
  )`,
  `create table marketing_days (
    account_id uuid not null,
    day date not null,
    used int not null,
    primary key (account_id, day)
  )`,
  // One row per contact, before anything is sent. `position` is the order of sending, from 0; `message_id` is set when
  // a worker takes the row, before it hands the message over, and never changes.
  `create table campaign_recipients (
    campaign_id uuid not null references campaigns on delete cascade,
    position int not null,
    contact_id uuid not null,
    account_id uuid not null,
    email text not null,
    list_ids uuid[] not null,
    status text not null default 'pending' check (status in ('pending', 'queued', 'deferred', 'delivered', 'bounced',
      'failed', 'suppressed', 'skipped', 'canceled')),
    status_reason text,
    message_id uuid,
    sent_at ${TIME},
    delivered_at ${TIME},
    opened_at ${TIME},
    clicked_at ${TIME},
    unsubscribed_at ${TIME},
    complained_at ${TIME},
    open_count int not null default 0,
    click_count int not null default 0,
    primary key (campaign_id, position)
  ) with (fillfactor = 70)`,
  'create unique index campaign_recipients_contact on campaign_recipients (contact_id, campaign_id)',
  'create unique index campaign_recipients_message on campaign_recipients (message_id) where message_id is not null',
  // A part of a campaign that is handed over at once; a leased queue. `pending` ones wait until the window allows them.
  `create table campaign_batches (
    id uuid primary key,
    account_id uuid not null,
    group_key text collate "C",
    lane smallint not null default 0,
    state text not null default 'waiting',
    due_at timestamptz not null,
    ends_at timestamptz,
    attempts int not null default 0,
    first_attempt_at timestamptz,
    lease_owner uuid,
    lease_token bigint not null default 0,
    leased_until timestamptz,
    reason text not null,
    campaign_id uuid not null references campaigns on delete cascade,
    first_position int not null,
    last_position int not null
  ) with (fillfactor = 70)`,
  `create index campaign_batches_ready on campaign_batches (group_key, lane, account_id, due_at) where state = 'ready'`,
  `create index campaign_batches_ends on campaign_batches (ends_at) where state = 'ready' and ends_at is not null`,
  `create index campaign_batches_waiting on campaign_batches (due_at) where state = 'waiting'`,
  `create index campaign_batches_leased on campaign_batches (lease_owner) where state = 'leased'`,
  'create index campaign_batches_campaign on campaign_batches (campaign_id, state, first_position)',
  `create table workers (
    id uuid primary key,
    started_at timestamptz not null,
    heartbeat_at timestamptz not null
  )`,
];

const COUNTERS = [
  'pending',
  'queued',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'skipped',
  'canceled',
  'opened',
  'opens',
  'clicked',
  'clicks',
  'unsubscribed',
  'complained',
];
const counters = (type: string): string =>
  COUNTERS.map((name) => `${name} ${type} not null default 0`).join(', ');

const results = [
  // campaign_stats is this row plus the sum of the deltas, which are folded into it periodically
  `create table campaign_counts (
    campaign_id uuid primary key references campaigns on delete cascade,
    updated_at ${TIME} not null,
    ${counters('bigint')}
  )`,
  `create table campaign_count_deltas (
    id bigint generated always as identity primary key,
    campaign_id uuid not null,
    created_at ${TIME} not null,
    ${counters('int')}
  )`,
  'create index campaign_count_deltas_campaign on campaign_count_deltas (campaign_id)',
  `create table campaign_fetches (
    id uuid primary key,
    campaign_id uuid not null,
    contact_id uuid not null,
    kind text not null check (kind in ('opened', 'clicked')),
    url text,
    ip text not null,
    user_agent text not null,
    is_bot boolean not null,
    created_at ${TIME} not null
  )`,
  'create index campaign_fetches_contact on campaign_fetches (contact_id)',
  'create index campaign_fetches_campaign on campaign_fetches (campaign_id)',
  // The counted state of a message whose recipient was deleted, without any identification of the recipient.
  `create table campaign_forgotten_messages (
    message_id uuid primary key,
    campaign_id uuid not null references campaigns on delete cascade,
    status text not null,
    opened boolean not null,
    clicked boolean not null,
    complained boolean not null
  )`,
];
