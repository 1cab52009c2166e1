import { describe, expect, it } from 'vitest';
import {
  compared,
  conditionAbout,
  FIRST_FILTER,
  subjectOf,
  withGroup,
  type Attributes,
} from './segment-filter.rules';

const ATTRIBUTES: Attributes = new Map([
  ['score', 'number'],
  ['plan', 'string'],
]);

describe('a condition of a segment', () => {
  it.each(['attribute score', 'attribute plan', 'field email', 'list', 'opened', 'clicked', 'created'])(
    'about %s is shown as that',
    (subject) => {
      expect(subjectOf(conditionAbout(subject, ATTRIBUTES, ['a-list']))).toBe(subject);
    },
  );

  it('loses its value with a comparison that has none, and gets one of its type back', () => {
    const condition = { kind: 'attribute', key: 'score', is: 'above', value: 5 } as const;
    const known = compared(condition, 'known', 'number');
    expect(known).toEqual({ kind: 'attribute', key: 'score', is: 'known' });
    expect(compared(known as typeof condition, 'below', 'number')).toMatchObject({ is: 'below', value: 0 });
  });

  it('takes its group with it when it is the last one', () => {
    const two = { ...FIRST_FILTER, groups: [...FIRST_FILTER.groups, ...FIRST_FILTER.groups] };
    expect(withGroup(two, 1, { match: 'all', conditions: [] })).toEqual(FIRST_FILTER);
  });
});
