import type { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'timestamptz(3)';

/** Sign-up forms, sign-ups that wait for their confirmation, the chain of consents, and preferences (decisions 152, 153). */
export class CreateSignUps1764100001930 implements MigrationInterface {
  name = 'CreateSignUps1764100001930';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...forms, ...consents, ...preferences]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const forms = [
  `create table sign_up_forms (
    id uuid primary key,
    account_id uuid not null,
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    name text not null,
    list_id uuid not null,
    is_open boolean not null,
    fields text[] not null,
    texts jsonb not null,
    text_version int not null,
    accent text not null,
    from_email text not null,
    from_name text not null,
    welcome_template_id uuid,
    welcome_subject text not null
  )`,
  'create index sign_up_forms_page on sign_up_forms (account_id, created_at desc, id desc)',
  // Not memberships, so that nothing of an address that has not confirmed is read as a contact or a member. A second
  // request for the same list is the same row, so that the links of earlier mails keep working.
  `create table sign_ups (
    id uuid primary key,
    account_id uuid not null,
    form_id uuid not null references sign_up_forms on delete cascade,
    list_id uuid not null,
    email text not null,
    first_name text not null,
    last_name text not null,
    way text not null check (way in ('form', 'console')),
    text_version int not null,
    requested_at ${TIME} not null,
    expires_at ${TIME} not null,
    confirmed_at ${TIME},
    contact_id uuid,
    mail_id uuid not null,
    mail_due_at timestamptz,
    mail_tries int not null default 0,
    mailed_at ${TIME}
  ) with (fillfactor = 80)`,
  'create unique index sign_ups_address on sign_ups (account_id, email, list_id)',
  'create index sign_ups_form on sign_ups (form_id, requested_at desc)',
  'create index sign_ups_due on sign_ups (mail_due_at) where mail_due_at is not null',
  'create index sign_ups_expiry on sign_ups (expires_at)',
];

const consents = [
  // the words that people agreed to: a changed text is another version
  `create table consent_texts (
    account_id uuid not null,
    form_id uuid not null,
    version int not null,
    text text not null,
    created_at ${TIME} not null,
    primary key (form_id, version)
  )`,
  'create index consent_texts_account on consent_texts (account_id)',
  // Only added to. `details` have the address of the person and are emptied with the contact; the chain has their digest.
  `create table consent_records (
    account_id uuid not null,
    seq bigint not null,
    contact_id uuid not null,
    list_id uuid not null,
    action text not null check (action in ('granted', 'withdrawn')),
    way text not null check (way in ('form', 'console', 'preferences')),
    form_id uuid,
    text_version int,
    text_digest text not null,
    at ${TIME} not null,
    details jsonb,
    details_digest text not null,
    hash bytea not null,
    primary key (account_id, seq)
  )`,
  'create index consent_records_contact on consent_records (contact_id, seq)',
  `create table consent_chains (
    account_id uuid primary key,
    seq bigint not null,
    hash bytea not null
  )`,
];

const preferences = [
  // lists that the preference centre shows, with the name that it shows
  `create table public_lists (
    list_id uuid primary key references lists on delete cascade,
    account_id uuid not null,
    title text not null
  )`,
  'create index public_lists_account on public_lists (account_id)',
  `create table contact_pauses (
    contact_id uuid primary key references contacts on delete cascade,
    account_id uuid not null,
    paused_until ${TIME} not null
  )`,
];
