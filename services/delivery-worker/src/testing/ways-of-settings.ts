import { createLogger } from '@postmesh/observability';
import { loadSettings, type Settings } from '@postmesh/settings';
import { Ways } from '../ways/ways.js';

/** The ways out that settings name, for tests without a database. */
export function waysOfSettings(given: Partial<Settings>): Promise<Ways> {
  const settings = { ...loadSettings({}), logLevel: 'silent' as const, ...given };
  return Ways.ofSettings(settings, createLogger(settings, 'test'));
}
