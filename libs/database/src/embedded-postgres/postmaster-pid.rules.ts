/** What a running server says about itself in `postmaster.pid`. */
export interface PostmasterFile {
  pid: number;
  /** undefined while the file is still being written */
  port: number | undefined;
  status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

const STATUSES = ['starting', 'stopping', 'ready', 'standby'] as const;

/**
 * Lines of the file: pid, data folder, start time, port, socket folder, address, shared memory, status.
 * They are written one after the other, so later ones may be missing.
 */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  // a negative number is a single-user backend, which leaves no server to speak to
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const port = Number(lines[3]);
  return {
    pid,
    port: Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined,
    status: STATUSES.find((status) => status === lines[7]) ?? 'unknown',
  };
}

/** Why a server that we started has ended at once. */
export type StartFailure = 'port-taken' | 'another-server' | 'broken';

/** @param log what the server wrote, in English (we start it with LC_ALL=C) */
export function explainStartFailure(log: string): StartFailure {
  if (/lock file "[^"]*" already exists|pre-existing shared memory block/.test(log)) return 'another-server';
  if (/could not bind|could not create any TCP\/IP sockets/.test(log)) return 'port-taken';
  return 'broken';
}
