import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { isPresent } from '../account-changes/deleted-accounts.js';
import type { SignUpForm } from './sign-up-forms.js';
import { SignUpMailer } from './sign-up-mailer.js';
import type { SignUpResource } from './sign-up-form.schema.js';

/** An address that wants to join the list of a form, or that a member wants to add to it. */
export interface SignUpRequest {
  readonly form: SignUpForm;
  /** normalized */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** values of attributes, by the definitions of the account */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly way: 'form' | 'console';
}

/** Days in which a sign-up can be confirmed, and for which it is kept afterwards. */
const KEPT_DAYS = 7;

const UPSERT = `
  insert into sign_ups as s (id, account_id, form_id, list_id, email, first_name, last_name, way, text_version,
    requested_at, expires_at, mail_id, mail_due_at, attributes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), now() + interval '${KEPT_DAYS} days', $10, $11, $12)
  on conflict (account_id, email, list_id) do update set
    form_id = excluded.form_id, first_name = excluded.first_name, last_name = excluded.last_name, attributes = excluded.attributes, way = excluded.way,
    text_version = excluded.text_version, requested_at = excluded.requested_at, expires_at = excluded.expires_at,
    confirmed_at = null, contact_id = null, mail_id = excluded.mail_id, mail_due_at = excluded.mail_due_at,
    mail_tries = 0, mailed_at = null`;

// An address gets one confirmation mail of an account in an hour, whatever list it is for.
const FREE_AT = `select greatest(now(), max(coalesce(mailed_at, mail_due_at)) + interval '1 hour') as "freeAt",
    coalesce(bool_or(list_id = $3 and confirmed_at is null and coalesce(mailed_at, mail_due_at) > now() - interval '1 hour'),
      false) as "isAsked"
  from sign_ups where account_id = $1 and email = $2`;

const MEMBERSHIP = `select m.subscription_status as status, c.unsubscribed from contacts c
    join memberships m on m.contact_id = c.id and m.list_id = $3
  where c.account_id = $1 and c.email = $2`;

/** Stores the sign-up of an address and makes its confirmation mail due. Nothing of it is a contact or a member yet. */
@Injectable()
export class RequestSignUp {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mailer: SignUpMailer,
  ) {}

  /** The result is for members of the account: a page shows the same for every address. */
  async execute(request: SignUpRequest): Promise<SignUpResource['outcome']> {
    const outcome = await this.dataSource.transaction((tx) => store(tx, request));
    if (outcome === 'asked') this.mailer.wake();
    return outcome;
  }
}

async function store(
  tx: EntityManager,
  { form, email, firstName, lastName, attributes, way }: SignUpRequest,
): Promise<SignUpResource['outcome']> {
  const { accountId, listId } = form;
  if (!(await isPresent(tx, accountId))) return 'asked';
  await tx.query(`select pg_advisory_xact_lock(hashtext('sign-ups of an address'), hashtext($1))`, [
    `${accountId} ${email}`,
  ]);
  const [held]: { status: string; unsubscribed: boolean }[] = await tx.query(MEMBERSHIP, [
    accountId,
    email,
    listId,
  ]);
  if (held?.status === 'complained') return 'complained';
  if (held?.status === 'confirmed' && !held.unsubscribed) return 'member';
  const [{ freeAt, isAsked }]: [{ freeAt: Date; isAsked: boolean }] = await tx.query(FREE_AT, [
    accountId,
    email,
    listId,
  ]);
  if (isAsked) return 'asked_already';
  await tx.query(UPSERT, [
    newId(),
    ...[accountId, form.id, listId, email, firstName, lastName, way, form.textVersion],
    newId(),
    freeAt,
    JSON.stringify(attributes),
  ]);
  return 'asked';
}
