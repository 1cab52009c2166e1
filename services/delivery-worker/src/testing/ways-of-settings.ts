import { createLogger } from '@postmesh/observability';
import { loadSettings, type Settings } from '@postmesh/settings';
import { orderOf, settingsRelayId, tlsOf, type WaysRows } from '../ways/ways-rows.js';
import { Ways } from '../ways/ways.js';
import { DEFAULT_POOL, type WayData } from '../ways/ways.rules.js';

/** The rows that settings would make, for tests without a database. */
export function rowsOfSettings({ egressSources, egressRelays }: Settings): WaysRows {
  const shared = { pool: DEFAULT_POOL, origin: 'settings' as const };
  const data: WayData = {
    pools: [
      {
        ...{ id: DEFAULT_POOL, order: orderOf({ egressRelays }), origin: 'settings' },
        ...{ whenBlocked: 'wait', overBudget: 'move' },
      },
    ],
    sources: egressSources.map((source) => ({ ...shared, ...source, warmUp: false })),
    relays: egressRelays.map(({ implicitTls, login, ...relay }, place) => ({
      ...{ ...shared, ...relay, id: settingsRelayId(place), place, login },
      tls: tlsOf(implicitTls, login !== undefined),
    })),
    rules: [],
  };
  const rows: Partial<WaysRows> = {
    load: async () => data,
    importSettings: async () => undefined,
    seen: async () => undefined,
    sawPtr: async () => undefined,
  };
  return rows as WaysRows;
}

export function waysOfSettings(given: Partial<Settings>): Promise<Ways> {
  // never connected to: only a worker listens for changes
  const databaseUrl = 'postgres://127.0.0.1:1/none';
  const settings = { ...loadSettings({}), databaseUrl, logLevel: 'silent' as const, ...given };
  return Ways.start(rowsOfSettings(settings), settings, createLogger(settings, 'test'));
}
