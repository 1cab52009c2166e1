import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listProjects } from '../sync-projects.mjs';

const root = join(import.meta.dirname, '../..');
const lines = readFileSync(join(root, '.github/CODEOWNERS'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/\s+/));

describe('CODEOWNERS', () => {
  it('gives every line one team', () => {
    assert.ok(lines.length > 1);
    for (const [path, ...teams] of lines) {
      assert.equal(teams.length, 1, path);
      assert.match(teams[0] ?? '', /^@postmesh\/[a-z]+-team$/, path);
    }
  });

  it('has a line for every project, in their order, and names no missing folder', () => {
    const [everything, ...others] = lines.map(([path]) => path);
    assert.equal(everything, '*');
    assert.deepEqual(
      others,
      listProjects(root).map(({ dir }) => `/${dir}/`),
    );
  });

  it('gives every service a team', () => {
    const ofServices = lines.filter(
      ([path]) => path?.startsWith('/services/') && path !== '/services/all-in-one/',
    );
    assert.ok(ofServices.length >= 8);
    for (const [path, team] of ofServices) assert.notEqual(team, '@postmesh/platform-team', path);
  });
});
