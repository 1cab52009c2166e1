import type { SegmentCondition, SegmentFilter } from './segment-filter.schema.js';

type Of<K extends SegmentCondition['kind']> = Extract<SegmentCondition, { kind: K }>;

/** Adds a value to the parameters of a statement. @returns its placeholder */
export type Place = (value: unknown) => string;

export const placesIn =
  (parameters: unknown[]): Place =>
  (value) =>
    `$${parameters.push(value)}`;

/**
 * The condition of a filter on a row `c` of `contacts`. It is never null. All that a person typed is a parameter.
 * @param accountId an expression of SQL; sets of contacts are read once for a statement and not once for a contact
 */
export function filterSql(filter: SegmentFilter, accountId: string, place: Place): string {
  const conditionSql = (condition: SegmentCondition, isRequired: boolean): string => {
    if (condition.kind === 'attribute') return attributeSql(condition, place);
    if (condition.kind === 'field') return fieldSql(condition, place);
    if (condition.kind === 'created') return createdSql(condition, place);
    const contacts =
      condition.kind === 'list' ? members(condition, accountId, place) : engaged(condition, accountId, place);
    const isIn = condition.kind === 'list' ? condition.member : condition.happened;
    return inSet(contacts, { isIn, isRequired });
  };
  const isOnlyGroup = filter.match === 'all' || filter.groups.length === 1;
  const groups = filter.groups.map(({ match, conditions }) => {
    const isRequired = isOnlyGroup && (match === 'all' || conditions.length === 1);
    const ordered = conditions.toSorted((one, other) => effortOf(one) - effortOf(other));
    return joined(
      match,
      ordered.map((condition) => conditionSql(condition, isRequired)),
    );
  });
  return joined(filter.match, groups);
}

/** The ids of contacts: rows of `from` that satisfy `where`, by the column `id`. */
interface ContactSet {
  readonly id: string;
  readonly from: string;
  readonly where: string;
}

/**
 * A condition that every contact has to satisfy becomes a join, which reads both sides in the order of ids. Next to `or` it
 * is a set in memory, which `not exists` would not always be.
 */
const inSet = (
  { id, from, where }: ContactSet,
  { isIn, isRequired }: { isIn: boolean; isRequired: boolean },
): string =>
  isRequired && !isIn
    ? `not exists (select from ${from} where ${id} = c.id and ${where})`
    : `${isIn ? '' : 'not '}c.id in (select ${id} from ${from} where ${where})`;

/** PostgreSQL judges the sides of an `or` in their order, for each contact: what costs least comes first. */
function effortOf(condition: SegmentCondition): number {
  if (condition.kind === 'created') return 0;
  if (condition.kind === 'list' || condition.kind === 'engagement') return 3;
  const { is } = condition;
  if (is === 'above' || is === 'below') return 2;
  return is === 'contains' || is === 'ends_with' ? 4 : 1;
}

const joined = (match: SegmentFilter['match'], parts: readonly string[]): string =>
  `(${parts.join(match === 'all' ? ' and ' : ' or ')})`;

function attributeSql({ key, is, value }: Of<'attribute'>, place: Place): string {
  if (is === 'known') return `jsonb_exists(c.attributes, ${place(key)}::text)`;
  if (is === 'unknown') return `not jsonb_exists(c.attributes, ${place(key)}::text)`;
  const equal = () => `c.attributes @> ${place(JSON.stringify({ [key]: value }))}::jsonb`;
  if (is === 'equal') return equal();
  if (is === 'not_equal') return `not ${equal()}`;
  if (is === 'contains')
    return `coalesce(strpos(lower(c.attributes->>${place(key)}::text), lower(${place(value)}::text)) > 0, false)`;
  // a stored value may have another type than that of its definition: a path compares equal types alone
  const path = `strict $.${JSON.stringify(key)} ${is === 'above' ? '>' : '<'} ${JSON.stringify(value)}`;
  return `coalesce(c.attributes @@ ${place(path)}::jsonpath, false)`;
}

function fieldSql({ field, is, value }: Of<'field'>, place: Place): string {
  const own = `lower(c.${field})`;
  if (is === 'ends_with') return `${own} like '%' || lower(${place(value.replace(/[\\%_]/g, '\\$&'))}::text)`;
  const wanted = `lower(${place(value)}::text)`;
  if (is === 'equal') return `${own} = ${wanted}`;
  if (is === 'not_equal') return `${own} <> ${wanted}`;
  return `strpos(${own}, ${wanted}) > 0`;
}

const members = ({ list_id }: Of<'list'>, accountId: string, place: Place): ContactSet => ({
  id: 'm.contact_id',
  from: 'memberships m',
  where: `m.list_id = (select l.id from lists l where l.id = ${place(list_id)}::uuid and l.deleted_at is null)
      and m.account_id = ${accountId} and m.subscription_status = 'confirmed'`,
});

const AT = { opened: 'opened_at', clicked: 'clicked_at' } as const;

/** By campaign_recipients_openers and campaign_recipients_clickers. */
function engaged({ action, days }: Of<'engagement'>, accountId: string, place: Place): ContactSet {
  const at = AT[action];
  const since = days === null ? '' : ` and r.${at} >= now() - make_interval(days => ${place(days)}::int)`;
  return {
    id: 'r.contact_id',
    from: 'campaign_recipients r',
    where: `r.account_id = ${accountId} and r.${at} is not null${since}`,
  };
}

const createdSql = ({ days, within }: Of<'created'>, place: Place): string =>
  `c.created_at ${within ? '>=' : '<'} now() - make_interval(days => ${place(days)}::int)`;

/**
 * The contacts that a campaign to a segment takes, in the columns of `mailableMembers`: mailable, matched, and confirmed
 * on a list of the account. A row for each of their lists.
 */
export const segmentMembers = (filter: string, accountId: string, listPosition: number): string => `
  select ${listPosition}::bigint as list_position, m.list_id, c.id as contact_id, c.email, m.created_at as member_since
    from contacts c
    join memberships m on m.contact_id = c.id and m.subscription_status = 'confirmed'
    join lists l on l.id = m.list_id and l.deleted_at is null
   where c.account_id = ${accountId} and c.mailable and ${filter}`;

/** Whether every contact that matches is confirmed on a list of the account: one that the filter names. */
export function namesList({ match, groups }: SegmentFilter): boolean {
  const isNamed = groups.map((group) => {
    const isMember = group.conditions.map((condition) => condition.kind === 'list' && condition.member);
    return group.match === 'all' ? isMember.includes(true) : !isMember.includes(false);
  });
  return match === 'all' ? isNamed.includes(true) : !isNamed.includes(false);
}

/**
 * Their number.
 * @param isOnList the filter alone makes sure of it: half of the work of a large account is saved
 */
export const segmentCount = (filter: string, accountId: string, isOnList = false): string => `
  select count(*)::int as contacts from contacts c
   where c.account_id = ${accountId} and c.mailable and ${filter}${isOnList ? '' : onAnyList(accountId)}`;

const onAnyList = (accountId: string): string => `
     and c.id in (select m.contact_id from memberships m
       where m.account_id = ${accountId} and m.subscription_status = 'confirmed'
         and m.list_id = any(array(select l.id from lists l
           where l.account_id = ${accountId} and l.deleted_at is null)))`;
