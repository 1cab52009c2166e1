import { expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { merged } from './merged-pages.rules.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 8, 0, second));
const row = (second: number) => ({ id: newId(), createdAt: at(second) });
const placeOf = ({ id, createdAt }: ReturnType<typeof row>) => ({ id, at: createdAt.toISOString() });

it('is all of both walks in their order when both have ended', () => {
  const [a, b, c] = [row(3), row(2), row(1)];
  expect(
    merged(
      [
        { rows: [a, c], until: null },
        { rows: [b], until: null },
      ],
      10,
    ),
  ).toEqual({
    rows: [a, b, c],
    until: null,
  });
});

it('ends where the first of them has stopped, also without a row', () => {
  const [a, b] = [row(9), row(1)];
  const stop = placeOf(row(5));
  expect(
    merged(
      [
        { rows: [a, b], until: null },
        { rows: [], until: stop },
      ],
      10,
    ),
  ).toEqual({
    rows: [a],
    until: stop,
  });
  expect(
    merged(
      [
        { rows: [b], until: null },
        { rows: [], until: stop },
      ],
      10,
    ),
  ).toEqual({ rows: [], until: stop });
});

it('shows the row at which a walk has stopped, and continues after the last that is shown', () => {
  const rows = [row(9), row(8), row(7)];
  const [first, second, third] = rows as [
    ReturnType<typeof row>,
    ReturnType<typeof row>,
    ReturnType<typeof row>,
  ];
  expect(
    merged(
      [
        { rows, until: placeOf(third) },
        { rows: [], until: null },
      ],
      3,
    ),
  ).toEqual({
    rows,
    until: placeOf(third),
  });
  const other = row(10);
  expect(
    merged(
      [
        { rows, until: placeOf(third) },
        { rows: [other], until: null },
      ],
      3,
    ),
  ).toEqual({
    rows: [other, first, second],
    until: placeOf(second),
  });
});
