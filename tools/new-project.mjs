#!/usr/bin/env node
// node tools/new-project.mjs libs/name "one-sentence purpose" dep,dep : makes an empty project.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [dir, description, dependencies = ''] = process.argv.slice(2);
if (!dir || !description) {
  console.error('usage: node tools/new-project.mjs <libs|services>/<name> "<purpose>" [dep,dep]');
  process.exit(2);
}
const [group, name] = dir.split('/');
mkdirSync(join(dir, 'src'), { recursive: true });
const manifest = {
  name: `@postmesh/${name}`,
  version: '0.1.0',
  private: true,
  description,
  type: 'module',
  exports: {
    '.': {
      '@postmesh/source': './src/index.ts',
      types: './dist/index.d.ts',
      default: './dist/index.js',
    },
  },
  scripts: {
    build: 'tsc -b',
    test: 'vitest run --config ../../vitest.config.ts --root .',
  },
  dependencies: Object.fromEntries(
    dependencies
      .split(',')
      .filter(Boolean)
      .map((dep) => [`@postmesh/${dep}`, '*']),
  ),
  nx: { tags: [group === 'libs' ? `lib:${name}` : `service:${name}`] },
};
writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest, null, 2) + '\n');
const index = join(dir, 'src/index.ts');
if (!existsSync(index)) writeFileSync(index, `export {};\n`);
