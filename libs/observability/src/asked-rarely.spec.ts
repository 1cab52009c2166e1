import { describe, expect, it } from 'vitest';
import { AskedRarely } from './asked-rarely.js';
import { Metrics } from './metrics.js';

describe('an expensive answer', () => {
  it('is requested once for any number of readers, and is valid for a while', async () => {
    let asked = 0;
    const answer = new AskedRarely(async () => ++asked, 60_000);
    expect(await Promise.all([answer.latest(), answer.latest()])).toEqual([1, 1]);
    expect(await answer.latest()).toBe(1);
  });

  it('is the previous one while the next request runs, so that no reader waits for long', async () => {
    const questions: ((value: number) => void)[] = [];
    const answer = new AskedRarely(() => new Promise<number>((resolve) => questions.push(resolve)), 0);
    const first = answer.latest();
    questions[0]?.(1);
    expect(await first).toBe(1);
    // the pause after an instant request ends at once
    await expect.poll(() => answer.latest().then(() => questions.length)).toBe(2);
    expect(await answer.latest()).toBe(1);
  });

  it('is undefined after a failed request', async () => {
    const answers = [async () => 1, () => Promise.reject(new Error('away'))];
    const answer = new AskedRarely(() => answers.shift()?.() ?? Promise.resolve(3), 0);
    expect(await answer.latest()).toBe(1);
    await expect.poll(() => answer.latest()).toBeUndefined();
    await expect.poll(() => answer.latest()).toBe(3);
  });
});

describe('gauges with requested values', () => {
  it('share a page with those of other services of the process, and are left out while unknown', async () => {
    const metrics = new Metrics({ defaults: false });
    const gauges = [{ name: 'postmesh_rows', help: 'Rows', read: (count: number) => count }];
    metrics.asked(async () => 2, gauges, { service: 'messages' });
    metrics.asked(async () => Promise.reject(new Error('away')), gauges, { service: 'domains' });
    const page = await metrics.render();
    expect(page).toContain('postmesh_rows{service="messages"} 2');
    expect(page).not.toContain('domains');
    expect(page).toContain('# TYPE postmesh_rows gauge');
  });

  it('without labels are left out, too: unknown is not 0', async () => {
    const metrics = new Metrics({ defaults: false });
    const gauges = [{ name: 'postmesh_free_bytes', help: 'Free', read: () => undefined }];
    metrics.asked(async () => 'nothing', gauges);
    expect(await metrics.render()).not.toMatch(/^postmesh_free_bytes/m);
  });
});
