import { describe, expect, it } from 'vitest';
import { createLogger, maskAddress, Metrics, renderTogether, snapshotMetrics } from './index.js';

describe('log lines', () => {
  it('are JSON with the service, and hide secrets', () => {
    const lines: string[] = [];
    const logger = createLogger({ logLevel: 'info' }, 'gateway', { write: (line) => void lines.push(line) });
    logger.info({ request: { authorization: 'Bearer pm-sk-1' }, password: 'p', id: 7 }, 'request served');
    const line = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
    expect(line).toMatchObject({ level: 'info', process: 'gateway', id: 7, msg: 'request served' });
    expect(lines[0]).not.toContain('pm-sk-1');
    expect(line['password']).toBe('[hidden]');
  });

  it('never hold a whole address', () => {
    expect(maskAddress('ann@mail.test')).toBe('a***@mail.test');
    expect(maskAddress('nonsense')).toBe('***');
  });
});

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
