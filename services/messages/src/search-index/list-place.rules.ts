/** A position in a list of messages by `(created_at, id)`. Rows are exact to the millisecond. */
export interface ListPlace {
  /** RFC 3339 in UTC, or `infinity` of PostgreSQL */
  at: string;
  id: string;
}

/** Before and after all positions. */
export const OLDEST: ListPlace = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
export const NEWEST: ListPlace = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

export function laterPlace(a: ListPlace, b: ListPlace): ListPlace {
  const [first, second] = [timeOf(a), timeOf(b)];
  if (first !== second) return first > second ? a : b;
  return a.id > b.id ? a : b;
}

export const earlierPlace = (a: ListPlace, b: ListPlace): ListPlace => (laterPlace(a, b) === a ? b : a);

function timeOf({ at }: ListPlace): number {
  if (at === 'infinity') return Number.POSITIVE_INFINITY;
  return at === '-infinity' ? Number.NEGATIVE_INFINITY : Date.parse(at);
}
