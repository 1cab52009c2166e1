import { describe, expect, it } from 'vitest';
import { countsOf, Metrics, renderTogether, snapshotMetrics } from './metrics.js';

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

  it('of an ended process keep its counts and drop its gauges', async () => {
    const metrics = new Metrics({ defaults: false });
    metrics.counter('postmesh_test_total', 'Test', ['kind']).inc({ kind: 'a' }, 2);
    metrics.histogram('postmesh_test_seconds', 'Test', [], [1]).observe(0.5);
    metrics.gauge('postmesh_depth', 'Depth').set(3);
    const once = await countsOf([await snapshotMetrics(metrics)]);
    const page = await renderTogether([await countsOf([once, await snapshotMetrics(metrics)])]);
    expect(page).toContain('postmesh_test_total{kind="a"} 4');
    expect(page).toContain('postmesh_test_seconds_count 2');
    expect(page).toContain('postmesh_test_seconds_bucket{le="1"} 2');
    expect(page).not.toContain('postmesh_depth');
  });

  it('with requested values are left to another process when the option says so', async () => {
    const metrics = new Metrics({ defaults: false, asks: false });
    const ask = async () => {
      throw new Error('no request is expected');
    };
    metrics.asked(ask, [{ name: 'postmesh_asked', help: 'Asked', read: () => 1 }]);
    expect(await metrics.render()).not.toContain('postmesh_asked');
  });
});
