import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Metrics } from './metrics.js';

const NANOSECONDS = 1e9;
// A timer of this interval measures the delay: ten wake-ups a second of an idle process.
const SAMPLE_MS = 100;

/**
 * The utilisation of an event loop. The default metrics of Node cover the main thread only, and all-in-one has two.
 * @param name of the process or thread
 */
export function observeEventLoop(metrics: Metrics, name: string): void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  let last = performance.eventLoopUtilization();
  metrics.gauge(
    'postmesh_event_loop_busy_ratio',
    'Part of the time since metrics were last read in which the event loop worked',
    ['process'],
    (gauge) => {
      const now = performance.eventLoopUtilization();
      gauge.set({ process: name }, performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  );
  metrics.gauge(
    'postmesh_event_loop_lag_seconds',
    'Delay of timers, 99th percentile since metrics were last read',
    ['process'],
    (gauge) => {
      // the histogram has the intervals between samples
      const lag = delay.percentile(99) / NANOSECONDS - SAMPLE_MS / 1_000;
      delay.reset();
      gauge.set({ process: name }, Math.max(0, lag || 0));
    },
  );
}
