import type { ZoneRecord } from './record-text.rules.js';

/** The host that takes the mail of every `.test` domain. */
export const SINK_HOST = 'mx.local-internet.test';

export const SINK_MX: ZoneRecord = { type: 'MX', data: { preference: 10, exchange: SINK_HOST } };

/** Names that stand in no zone file: the sink's own, and the reverse name of the address everything has. */
export const BUILT_IN: ReadonlyMap<string, readonly ZoneRecord[]> = new Map<string, readonly ZoneRecord[]>([
  [SINK_HOST, [{ type: 'A', data: '127.0.0.1' }]],
  ['1.0.0.127.in-addr.arpa', [{ type: 'PTR', data: SINK_HOST }]],
]);
