import type { Settings } from '@postmesh/settings';

// One processor for the main thread, one for delivering; PostgreSQL has its share of each of the others.
const OTHERS = 2;
const MIN_PROCESSORS = 4;
const MAX_BY_DEFAULT = 4;
// The least that the settings take.
const MIN_BODY_BYTES = 6_291_456;
// One session may fail so often.
const MIN_LOGIN_FAILURES = 3;

/** How many processes accept beside the main one; 0: it accepts itself. */
export function acceptProcessCount(
  { acceptProcesses, workerThreads }: Pick<Settings, 'acceptProcesses' | 'workerThreads'>,
  processors: number,
): number {
  if (acceptProcesses !== undefined) return acceptProcesses;
  if (!workerThreads || processors < MIN_PROCESSORS) return 0;
  return Math.min(MAX_BY_DEFAULT, Math.floor((processors - OTHERS) / 2));
}

/**
 * What each of them has of what bounds all of them together: each gets as many connections as the others. Each has room
 * for the largest body, so that large ones may be more bytes together than the setting says.
 */
export function shareOf(settings: Settings, count: number): Settings {
  const share = (whole: number, least: number) => Math.max(Math.min(whole, least), Math.ceil(whole / count));
  return {
    ...settings,
    bodyBytes: share(settings.bodyBytes, MIN_BODY_BYTES),
    largeBytes: share(settings.largeBytes, settings.bodyLimitBytes),
    smtpConnections: share(settings.smtpConnections, 1),
    smtpLoginFailures: share(settings.smtpLoginFailures, MIN_LOGIN_FAILURES),
  };
}
