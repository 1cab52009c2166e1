import { describe, expect, it } from 'vitest';
import { Metrics, renderTogether, snapshotMetrics } from './metrics.js';

describe('metrics', () => {
  it('are made once by name and rendered for Prometheus', async () => {
    const metrics = new Metrics({ defaults: false });
    metrics.counter('postmesh_test_total', 'Test', ['kind']).inc({ kind: 'a' });
    metrics.counter('postmesh_test_total', 'Test', ['kind']).inc({ kind: 'a' });
    metrics.gauge('postmesh_depth', 'Depth', [], (gauge) => gauge.set(3));
    const page = await metrics.render();
    expect(page).toContain('postmesh_test_total{kind="a"} 2');
    expect(page).toContain('postmesh_depth 3');
  });

  it('of several threads are summed into one page', async () => {
    const threads = [1, 2].map((count) => {
      const metrics = new Metrics({ defaults: false });
      metrics.counter('postmesh_test_total', 'Test').inc(count);
      return metrics;
    });
    expect(await renderTogether(await Promise.all(threads.map(snapshotMetrics)))).toContain(
      'postmesh_test_total 3',
    );
  });
});
