import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { COMMANDS, filesOf, isInTier, LATER, ROOT, touchedBy } from '../test-tiers.mjs';
import { PARTS } from '../test-parts.mjs';

const EVERYWHERE = ['libs/*/{src,conformance}/**', 'services/*/{src,conformance,test,contract/src}/**'];

describe('the table of tiers', () => {
  it('names files, subjects and parts that exist', () => {
    for (const { files, subject = [], parts = [] } of LATER) {
      for (const glob of [...files, ...subject])
        assert.ok(globSync(glob, { cwd: ROOT }).length > 0, `${glob} names nothing`);
      for (const part of parts) assert.ok(part in PARTS, part);
    }
    for (const { args, subject = [] } of COMMANDS) {
      assert.ok(existsSync(join(ROOT, args[0])), args[0]);
      for (const glob of subject)
        assert.ok(globSync(glob, { cwd: ROOT }).length > 0, `${glob} names nothing`);
    }
  });

  it('runs every spec file somewhere, and most in the first tier', () => {
    const all = filesOf(EVERYWHERE, { POSTMESH_TEST_TIER: 'all' });
    const of = (tier) => filesOf(EVERYWHERE, { POSTMESH_TEST_TIER: tier });
    const [first, ci, full] = [of('first'), of('ci'), of('full')];
    assert.deepEqual([...new Set([...first, ...ci, ...full])].toSorted(), all);
    assert.ok(first.length > ci.length + full.length);
  });

  it('lets the last row decide, and runs a file again where its parts are', () => {
    const contract = 'services/all-in-one/test/contract';
    assert.ok(isInTier(`${contract}/ping.spec.ts`, 'ci'));
    assert.ok(!isInTier(`${contract}/domain-dns-foreign.spec.ts`, 'ci'));
    assert.ok(isInTier(`${contract}/domain-dns-foreign.spec.ts`, 'full'));
    const consumption = 'libs/events/src/consumption/event-consumption.int.spec.ts';
    assert.ok(isInTier(consumption, 'first') && isInTier(consumption, 'ci'));
  });
});

describe('a change', () => {
  const whyOf = (...changed) => {
    const { rows, commands } = touchedBy(changed);
    return [...rows, ...commands].map(({ why }) => why);
  };

  it('has to pass the tests of the tier full that it touches', () => {
    assert.deepEqual(whyOf('deploy/helm/postmesh/values.yaml'), ['the Helm chart']);
    assert.deepEqual(whyOf('services/domains/src/managed-zone/tsig.ts'), ['name servers of another maker']);
    assert.deepEqual(whyOf('libs/database/src/embedded-postgres/start.ts'), [
      'servers that are killed and run out of disk',
    ]);
  });

  it('of other files passes without it', () => {
    assert.deepEqual(whyOf('README.md', 'services/messages/src/accept/accept-send.ts'), []);
  });
});
