import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findBreaches } from '../boundaries.mjs';

const roots = [];
after(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })));

const manifest = (name, layer) =>
  JSON.stringify({ name: `@postmesh/${name}`, nx: { tags: [`layer:${layer}`] } });

function workspace(files) {
  const root = mkdtempSync(join(tmpdir(), 'boundaries-'));
  roots.push(root);
  const all = {
    'libs/jobs/package.json': manifest('jobs', 'lib'),
    'libs/testing/package.json': manifest('testing', 'testing'),
    'services/messages/package.json': manifest('messages', 'service'),
    'services/accounts/package.json': manifest('accounts', 'service'),
    'services/all-in-one/package.json': manifest('all-in-one', 'composition'),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('boundaries', () => {
  it('let through what is allowed', () => {
    const root = workspace({
      'services/messages/src/a.ts': "import { x } from '@postmesh/jobs';\nimport { y } from './b.js';\n",
      'services/all-in-one/src/a.ts': "import { x } from '@postmesh/messages';\n",
      'libs/jobs/src/a.ts': "import { Queue } from 'bullmq';\n",
      'libs/jobs/src/a.spec.ts': "import { x } from '@postmesh/testing';\n",
    });
    assert.deepEqual(findBreaches(root), []);
  });

  /** @type {any[][]} */
  const cases = [
    [
      'a service that imports a service',
      'services/accounts/src/a.ts',
      "import { x } from '@postmesh/messages';",
      /may not import @postmesh\/messages/,
    ],
    [
      'a lib that imports a service',
      'libs/jobs/src/a.ts',
      "import { x } from '@postmesh/accounts';",
      /may not import @postmesh\/accounts/,
    ],
    [
      'test helpers in code that runs',
      'libs/jobs/src/a.ts',
      "import { x } from '@postmesh/testing';",
      /may not import @postmesh\/testing/,
    ],
    [
      'a project without a layer',
      'libs/odd/package.json',
      '{"name":"@postmesh/odd"}',
      /needs one of the tags/,
    ],
    [
      'kafkajs outside its folder',
      'services/messages/src/a.ts',
      "import { Kafka } from 'kafkajs';",
      /may import kafkajs/,
    ],
    [
      'bullmq outside jobs',
      'services/messages/src/a.ts',
      "import type { Queue } from 'bullmq';",
      /may import bullmq/,
    ],
    ['the environment', 'services/messages/src/a.ts', 'const a = process.env.HOME;', /process\.env/],
    [
      'a way out of the project',
      'services/messages/src/a.ts',
      "import { x } from '../../accounts/src/a.js';",
      /leaves the project/,
    ],
    ['a dumping ground', 'services/messages/src/utils/a.ts', 'export {};', /folder called utils/],
    [
      'an import over several lines',
      'services/messages/src/a.ts',
      "import {\n  Kafka,\n} from 'kafkajs';",
      /may import kafkajs/,
    ],
  ];
  for (const [what, path, text, expected] of cases) {
    it(`find ${what}`, () => {
      const breaches = findBreaches(workspace({ [path]: `${text}\n` }));
      assert.match(breaches.join('\n'), expected);
    });
  }
});
