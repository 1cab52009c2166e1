import { deleteOlder } from '@postmesh/database';
import type { DataSource } from 'typeorm';

const DAY_S = 86_400;

export interface OlderDays {
  days: number;
  /** rows of a statement */
  piece?: number;
  signal: AbortSignal;
}

/** Deletes rows of this age in days and older, until none is left, in pieces. @returns rows deleted */
export const deleteOlderDays = (
  dataSource: DataSource,
  rows: { table: string; column: string },
  { days, ...pieces }: OlderDays,
): Promise<number> => deleteOlder(dataSource, { ...rows, olderThanSeconds: days * DAY_S, ...pieces });
