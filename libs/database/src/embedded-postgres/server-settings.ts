/**
 * For a laptop and for throughput. Durability is never traded: fsync and synchronous_commit stay on.
 * What a caller gives wins.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '256MB',
  wal_buffers: '16MB',
  // full-page images are most of the log of a busy queue; this build has pglz only
  wal_compression: 'on',
  // a checkpoint every 15 minutes instead of 5: fewer full-page images
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  max_connections: '200',
  // short transactions on few cores: planning for parallel workers and JIT cost more than they give
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  // queue tables turn over completely: dead rows must go before they outnumber the living
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',
  // failed statements are the caller's to report; in the server's log they would show customers' data
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

/** Never to be changed by a caller: the server is ours alone and speaks on loopback only. */
const FIXED: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_destination: 'stderr',
  logging_collector: 'off',
};

/** The settings as arguments of `postgres`. @throws Error on a name that is no setting's */
export function settingArguments(given: Readonly<Record<string, string>>): string[] {
  const all = { ...DEFAULTS, ...given, ...FIXED };
  return Object.entries(all).flatMap(([name, value]) => {
    if (!/^[a-z_.]+$/.test(name)) throw new Error(`'${name}' is not the name of a PostgreSQL setting`);
    return ['-c', `${name}=${value}`];
  });
}
