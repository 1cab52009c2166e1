import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { SERVICES } from '../../libs/contracts/dist/index.js';
import { alertRules, boardQueries, metricFaults, metricsInCode } from '../observability.mjs';
import { textFiles } from '../text-files.mjs';

const root = join(import.meta.dirname, '../..');
const rules = alertRules(root);
const registered = metricsInCode(root);

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
  isThere || process.env.POSTMESH_TEST_REQUIRES?.includes('PROMETHEUS')
    ? false
    : 'promtool is not there (Debian: prometheus)';

describe('metrics', () => {
  it('are registered wherever deploy/ names them: alerts, board, and scaling of the chart', () => {
    const files = textFiles(root, ['deploy']).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
    assert.ok(files.some(([path, text]) => path.endsWith('values.yaml') && text.includes('postmesh_')));
    assert.deepEqual(
      files.flatMap(([path, text]) => metricFaults(text, registered).map((fault) => `${path}: ${fault}`)),
      [],
    );
  });

  it('are all explained', () => {
    const text = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    assert.deepEqual(
      [...registered.keys()].filter((name) => !text.includes(`\`${name}`)),
      [],
    );
  });

  for (const [what, text, expected] of [
    [
      'that no source registers',
      'rate(postmesh_no_such_thing_bucket[5m])',
      'no source registers the metric postmesh_no_such_thing',
    ],
    [
      'with a label that it does not have',
      'postmesh_dead_letters{service="a",stream="b"}',
      'postmesh_dead_letters has no label stream',
    ],
    [
      'with such a label in JSON',
      '"postmesh_http_requests_total{code=~\\"5..\\"}"',
      'postmesh_http_requests_total has no label code',
    ],
  ]) {
    it(`would be refused ${what}`, () => assert.deepEqual(metricFaults(text, registered), [expected]));
  }
});

it('Prometheus scrapes every service of docker-compose.yml', () => {
  const { scrape_configs } = parse(readFileSync(join(root, 'deploy/observability/prometheus.yml'), 'utf8'));
  const [{ names }] = scrape_configs[0].dns_sd_configs;
  assert.deepEqual(names.toSorted(), SERVICES.toSorted());
});

describe('alerts and board', () => {
  it('are there', () => assert.ok(rules.length > 10 && boardQueries().length > 40));

  it('have advice: each alert has its runbook, which the list of runbooks names', () => {
    const list = readFileSync(join(root, 'docs/runbooks/README.md'), 'utf8');
    for (const { name, runbook } of rules) {
      assert.equal(runbook, `runbooks/${name}`);
      assert.match(readFileSync(join(root, `docs/${runbook}.md`), 'utf8'), new RegExp(`^# ${name}$`, 'm'));
      assert.ok(list.includes(`(${name}.md)`), name);
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
