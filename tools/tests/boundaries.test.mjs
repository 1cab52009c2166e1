import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findBreaches } from '../boundaries.mjs';

const roots = [];
after(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })));

function workspace(files) {
  const root = mkdtempSync(join(tmpdir(), 'boundaries-'));
  roots.push(root);
  const all = {
    'libs/jobs/package.json': '{"name":"@postmesh/jobs","dependencies":{}}',
    'services/messages/package.json': '{"name":"@postmesh/messages","dependencies":{"@postmesh/jobs":"*"}}',
    'services/accounts/package.json':
      '{"name":"@postmesh/accounts","dependencies":{"@postmesh/messages":"*"}}',
    'services/all-in-one/package.json':
      '{"name":"@postmesh/all-in-one","dependencies":{"@postmesh/messages":"*"}}',
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
    });
    assert.deepEqual(findBreaches(root), []);
  });

  const cases = [
    [
      'a service that imports a service',
      'services/accounts/src/a.ts',
      "import { x } from '@postmesh/messages';",
      /only services\/all-in-one/,
    ],
    [
      'an undeclared dependency',
      'libs/jobs/src/a.ts',
      "import { x } from '@postmesh/accounts';",
      /not declared/,
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
