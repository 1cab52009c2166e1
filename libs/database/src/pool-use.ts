import type pg from 'pg';
import type { DataSource } from 'typeorm';

/** Connections of a data source's pool now. */
export function poolUse(dataSource: DataSource): { used: number; idle: number; waiting: number } {
  const { master } = dataSource.driver as unknown as { master?: pg.Pool };
  if (!master) return { used: 0, idle: 0, waiting: 0 };
  const { totalCount, idleCount, waitingCount } = master;
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}
