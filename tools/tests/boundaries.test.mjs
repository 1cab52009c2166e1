import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import knip from '../../knip.config.js';
import { findBreaches } from '../boundaries.mjs';

const ROOT = join(import.meta.dirname, '../..');

const roots = [];
after(() => roots.forEach((root) => rmSync(root, { recursive: true, force: true })));

const manifest = (name, layer) =>
  JSON.stringify({ name: `@postmesh/${name}`, nx: { tags: [`layer:${layer}`] } });

function workspace(files) {
  const root = mkdtempSync(join(tmpdir(), 'boundaries-'));
  roots.push(root);
  const all = {
    'libs/work/package.json': manifest('work', 'lib'),
    'libs/testing/package.json': manifest('testing', 'testing'),
    'services/messages/package.json': manifest('messages', 'service'),
    'services/messages/contract/package.json': manifest('messages-contract', 'contract'),
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
  it('accept allowed imports', () => {
    const root = workspace({
      'services/messages/src/a.ts': "import { x } from '@postmesh/work';\nimport { y } from './b.js';\n",
      'services/messages/contract/src/a.ts': "import { x } from '@postmesh/work';\n",
      'services/accounts/src/a.ts': "import { x } from '@postmesh/messages-contract';\n",
      'services/all-in-one/src/a.ts': "import { x } from '@postmesh/messages';\n",
      'libs/work/src/a.ts': "import { Queue } from 'bullmq';\n",
      'services/gateway/package.json': manifest('gateway', 'service'),
      'services/gateway/src/openapi/a.ts': "import { Ajv2020 } from 'ajv/dist/2020.js';\n",
      'libs/work/src/a.spec.ts': "import { x } from '@postmesh/testing';\n",
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
      'libs/work/src/a.ts',
      "import { x } from '@postmesh/accounts';",
      /may not import @postmesh\/accounts/,
    ],
    [
      'a lib that imports a contract',
      'libs/work/src/a.ts',
      "import { x } from '@postmesh/messages-contract';",
      /may not import @postmesh\/messages-contract/,
    ],
    [
      'a contract that imports its service',
      'services/messages/contract/src/a.ts',
      "import { x } from '@postmesh/messages';",
      /may not import @postmesh\/messages/,
    ],
    [
      'test helpers in code that runs',
      'libs/work/src/a.ts',
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
    ...[
      '@nestjs/core/internal',
      '@nestjs/common/constants.js',
      'typeorm/driver/postgres/PostgresDriver.js',
      'pg/lib/query.js',
    ].map((entry) => [
      `a private part of a package: ${entry}`,
      'services/messages/src/a.ts',
      `import type { X } from '${entry}';`,
      /is no public entry of/,
    ]),
    [
      'bullmq outside jobs',
      'services/messages/src/a.ts',
      "import type { Queue } from 'bullmq';",
      /may import bullmq/,
    ],
    [
      'an import from outside the project',
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

describe('oxlint, with our rules', () => {
  const lint = (files) =>
    spawnSync(
      join(ROOT, 'node_modules/.bin/oxlint'),
      ['-c', join(ROOT, '.oxlintrc.json'), workspace(files)],
      {
        encoding: 'utf8',
      },
    );

  it('finds a cycle of files, also one of types only', () => {
    const { status, stdout } = lint({
      'libs/work/src/a.ts': "import type { B } from './b.js';\nexport type A = B | string;\n",
      'libs/work/src/b.ts': "import type { A } from './a.js';\nexport type B = A | number;\n",
    });
    assert.equal(status, 1);
    assert.match(stdout, /import\(no-cycle\)/);
  });

  it('finds a read of the environment outside libs/settings', () => {
    const { status, stdout } = lint({ 'services/messages/src/a.ts': 'export const a = process.env.HOME;\n' });
    assert.equal(status, 1);
    assert.match(stdout, /node\(no-process-env\)/);
  });
});

describe('knip', () => {
  // the list may only become shorter
  const ROWS = 9;
  it('ignores no more files than listed', () => {
    const rows = Object.keys(/** @type {any} */ (knip).ignoreIssues);
    assert.ok(rows.length <= ROWS, rows.join('\n'));
  });
});
