import { laterPlace, type ListPlace } from '../search-index/list-place.rules.js';
import type { Found } from './bounded-walk.js';

/**
 * One page of several walks, newest first: what lies below the place where one of them has stopped waits for the next
 * page.
 */
export function merged(walks: readonly Found[], limit: number): Found {
  const stops = walks.flatMap(({ until }) => (until === null ? [] : [until]));
  const stop = stops.length === 0 ? null : stops.reduce(laterPlace);
  const rows = walks
    .flatMap((walk) => walk.rows)
    .filter((row) => stop === null || !isBelow(placeOf(row), stop))
    .sort((a, b) => (laterPlace(placeOf(a), placeOf(b)).id === a.id ? -1 : 1));
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, until: rows.length > limit && last ? placeOf(last) : stop };
}

const placeOf = ({ id, createdAt }: Found['rows'][number]): ListPlace => ({
  id,
  at: createdAt.toISOString(),
});

const isBelow = (place: ListPlace, stop: ListPlace): boolean =>
  place.id !== stop.id && laterPlace(place, stop) === stop;
