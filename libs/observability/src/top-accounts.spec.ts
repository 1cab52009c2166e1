import { expect, it } from 'vitest';
import { Metrics } from './metrics.js';
import { TopAccounts } from './top-accounts.js';

function topAccounts() {
  const time = { now: 0 };
  const metrics = new Metrics({ defaults: false });
  const metric = { name: 'postmesh_top', help: 'Top', label: 'outcome' };
  const top = new TopAccounts(metrics, metric, () => time.now);
  const shown = async () =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith('postmesh_top'));
  return { time, top, shown };
}

it('names the ten accounts with the highest counts, for any number of accounts', async () => {
  const { top, shown } = topAccounts();
  for (let nth = 1; nth <= 12_000; nth++) top.count(`a${nth}`, 'delivered', nth <= 9_990 ? 1 : 5);
  const lines = await shown();
  expect(lines).toHaveLength(10);
  expect(lines).toContain('postmesh_top{account_id="a9991",outcome="delivered"} 5');
});

it('sums the last minute, and drops older counts', async () => {
  const { time, top, shown } = topAccounts();
  top.count('a', 'bounced');
  time.now = 30_000;
  top.count('a', 'bounced', 2);
  expect(await shown()).toEqual(['postmesh_top{account_id="a",outcome="bounced"} 3']);
  time.now = 65_000;
  expect(await shown()).toEqual(['postmesh_top{account_id="a",outcome="bounced"} 2']);
  time.now = 1_000_000;
  expect(await shown()).toEqual([]);
});
