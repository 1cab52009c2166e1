import type { ConsoleSchemas } from '../api/client';

export type Filter = ConsoleSchemas['SegmentFilter'];
export type Group = Filter['groups'][number];
export type Condition = ConsoleSchemas['SegmentCondition'];
export type AttributeType = 'string' | 'number' | 'boolean' | 'date' | 'timestamp';
/** The attributes of the account, by key. */
export type Attributes = ReadonlyMap<string, AttributeType>;

export const MAX_GROUPS = 10;
export const MAX_OF_GROUP = 10;

/** Comparisons of an attribute by its type. */
export const COMPARISONS = {
  string: ['equal', 'not_equal', 'contains', 'known', 'unknown'],
  number: ['equal', 'not_equal', 'above', 'below', 'known', 'unknown'],
  boolean: ['equal', 'known', 'unknown'],
  date: ['above', 'below', 'equal', 'known', 'unknown'],
  timestamp: ['above', 'below', 'known', 'unknown'],
} as const satisfies Record<AttributeType, readonly string[]>;
export const FIELD_COMPARISONS = ['equal', 'not_equal', 'contains', 'ends_with'] as const;

/** The subject of a condition, as the value of a menu. */
export function subjectOf(condition: Condition): string {
  if (condition.kind === 'attribute') return `attribute ${condition.key}`;
  if (condition.kind === 'field') return `field ${condition.field}`;
  return condition.kind === 'engagement' ? condition.action : condition.kind;
}

const FIRST_VALUES = { string: '', number: 0, boolean: true, date: '', timestamp: '' } as const;

/** A condition about something else, with the values that a form begins with. */
export function conditionAbout(subject: string, attributes: Attributes, lists: readonly string[]): Condition {
  const [kind, name = ''] = subject.split(' ');
  if (kind === 'attribute') {
    const type = attributes.get(name) ?? 'string';
    return { kind: 'attribute', key: name, is: COMPARISONS[type][0], value: FIRST_VALUES[type] };
  }
  if (kind === 'field')
    return { kind: 'field', field: name as 'email' | 'first_name' | 'last_name', is: 'contains', value: '' };
  if (kind === 'list') return { kind: 'list', list_id: lists[0] ?? '', member: true };
  if (kind === 'opened' || kind === 'clicked')
    return { kind: 'engagement', action: kind, days: 30, happened: true };
  return { kind: 'created', days: 30, within: true };
}

export const FIRST_FILTER: Filter = {
  match: 'all',
  groups: [{ match: 'all', conditions: [{ kind: 'created', days: 30, within: true }] }],
};

/** The value goes with comparisons that have none. */
export function compared(
  condition: Extract<Condition, { kind: 'attribute' }>,
  is: Extract<Condition, { kind: 'attribute' }>['is'],
  type: AttributeType,
): Condition {
  const { kind, key, value = FIRST_VALUES[type] } = condition;
  return is === 'known' || is === 'unknown' ? { kind, key, is } : { kind, key, is, value };
}

/** One place of a list, changed or left out. */
export const changedAt = <T>(all: readonly T[], at: number, next?: T): T[] =>
  all.flatMap((one, nth) => (nth === at ? (next === undefined ? [] : [next]) : [one]));

/** Without what has become empty. */
export function withGroup(filter: Filter, at: number, group: Group): Filter {
  return {
    ...filter,
    groups: changedAt(filter.groups, at, group.conditions.length === 0 ? undefined : group),
  };
}
