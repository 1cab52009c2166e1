import { z } from 'zod';
import { ApiError, ApiErrors, Uuid } from '@postmesh/contracts';
import type { Sql } from '@postmesh/http';

type Query = Readonly<Record<string, unknown>>;

// Postgres reads no NUL, and no name has control characters
const Text = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u);
const Time = z.iso.datetime({ offset: true });

/**
 * The entries of a query: `account_id`; `actor` (the name of an operator, the id of a key, `system`);
 * `action`, where a `*` at the end matches any ending; `since` (inclusive) and `until` (exclusive).
 * @throws ApiError 400
 */
export function auditEntries(query: Query): Sql {
  const parameters: unknown[] = [];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [
    ...given(query, 'account_id', (value) => `account_id = ${place(readId(value))}::uuid`),
    ...given(query, 'actor', (value) => actorCondition(readText('actor', value), place)),
    ...given(query, 'action', (value) => actionCondition(readText('action', value), place)),
    ...given(query, 'since', (value) => `at >= ${place(readTime('since', value))}::timestamptz`),
    ...given(query, 'until', (value) => `at < ${place(readTime('until', value))}::timestamptz`),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  return { text: `select id, at as created_at from audit_entries${where}`, parameters };
}

function given(query: Query, name: string, condition: (value: unknown) => string): string[] {
  return query[name] === undefined ? [] : [condition(query[name])];
}

/** Entries from before operators had names belong to the first operator. */
function actorCondition(actor: string, place: (value: unknown) => string): string {
  const name = actor.replace(/^(?:operator|api-key|member) (?=.)/, '');
  if (name === 'system') return `actor_kind = 'system'`;
  if (name === 'operator') return `actor_kind = 'operator' and (actor_id is null or actor_id = 'operator')`;
  return `actor_id = ${place(name)}`;
}

function actionCondition(action: string, place: (value: unknown) => string): string {
  return action.endsWith('*')
    ? `starts_with(action, ${place(action.slice(0, -1))})`
    : `action = ${place(action)}`;
}

function readId(value: unknown): string {
  const parsed = Uuid.safeParse(value);
  if (!parsed.success) throw ApiErrors.invalidParameter('account_id');
  return parsed.data;
}

function readText(name: string, value: unknown): string {
  const parsed = Text.safeParse(value);
  if (!parsed.success) throw new ApiError(400, `${name} must be 1 to 200 characters`);
  return parsed.data;
}

function readTime(name: string, value: unknown): string {
  const parsed = Time.safeParse(value);
  if (!parsed.success) throw ApiErrors.invalidTime(name);
  return parsed.data;
}
