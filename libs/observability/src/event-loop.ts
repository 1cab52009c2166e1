import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Metrics } from './metrics.js';

const NANOSECONDS = 1e9;

/**
 * The utilisation of an event loop. The default metrics of Node cover the main thread only, and all-in-one has two.
 * @param name of the process or thread
 */
export function observeEventLoop(metrics: Metrics, name: string): void {
  // a timer would wake an idle process fifty times a second
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
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
    'Duration of an iteration of the event loop, 99th percentile since metrics were last read',
    ['process'],
    (gauge) => {
      const lag = delay.percentile(99) / NANOSECONDS;
      delay.reset();
      gauge.set({ process: name }, Number.isFinite(lag) ? lag : 0);
    },
  );
}
