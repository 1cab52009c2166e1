import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { alertRules, boardQueries, metricsInCode, metricsOf } from '../observability.mjs';

const root = join(import.meta.dirname, '../..');
const rules = alertRules(root);
const inCode = metricsInCode(root);
const unknown = (queries) => [...new Set(queries.flatMap(metricsOf))].filter((name) => !inCode.has(name));

// promtool comes with prometheus
const path = [
  process.env.PROMETHEUS && dirname(process.env.PROMETHEUS),
  process.env.PATH,
  '/usr/sbin',
].filter(Boolean);
const promtool = (...args) =>
  spawnSync('promtool', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: path.join(delimiter) },
  });
const isThere = promtool('--version').status === 0;
const skip =
  isThere || process.env.POSTMESH_REQUIRE_REAL === '1' ? false : 'promtool is not there (Debian: prometheus)';

describe('alerts and board', () => {
  it('are about metrics that the code exposes', () => {
    assert.ok(rules.length > 10 && boardQueries().length > 40);
    assert.deepEqual(unknown(rules.map(({ text }) => text)), []);
    assert.deepEqual(unknown(boardQueries().map(({ query }) => query)), []);
  });

  it('would be refused with a metric that nobody exposes', () => {
    assert.deepEqual(unknown(['rate(postmesh_no_such_thing_bucket[5m])']), ['postmesh_no_such_thing']);
  });

  it('say what to do: each alert has its section of the documentation', () => {
    for (const { name, runbook } of rules) {
      const [file = '', anchor] = (runbook ?? '').split('#');
      assert.equal(anchor, name.toLowerCase());
      assert.match(readFileSync(join(root, file), 'utf8'), new RegExp(`^### ${name}$`, 'm'));
    }
  });

  it('are tested both ways: each alert fires in one case and is silent in another', () => {
    const cases = readFileSync(join(root, 'deploy/observability/alerts.test.yml'), 'utf8').split(
      /^ *- eval_time: /m,
    );
    for (const { name } of rules) {
      const own = cases.filter((text) => text.includes(`alertname: ${name}\n`));
      assert.ok(
        own.some((text) => text.includes('exp_alerts: []')),
        `${name} is never silent`,
      );
      assert.ok(
        own.some((text) => text.includes('exp_labels')),
        `${name} never fires`,
      );
    }
  });
});

describe('promtool', { skip }, () => {
  for (const args of [
    ['check', 'config', 'deploy/observability/prometheus.yml'],
    ['check', 'config', 'deploy/observability/prometheus.all-in-one.yml'],
    ['check', 'rules', 'deploy/helm/postmesh/files/alerts.yml'],
    ['test', 'rules', 'deploy/observability/alerts.test.yml'],
  ]) {
    it(args.join(' '), () => {
      const { status, stdout, stderr } = promtool(...args);
      assert.equal(status, 0, stdout + stderr);
    });
  }
});
