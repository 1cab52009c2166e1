// @ts-check
// Of the tier of `.ci/run`, as it starts four servers: node --test tools/simulate/traces.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLives } from './lives.mjs';
import { SUBJECTS } from './subjects.mjs';

test(
  'the same seed gives the same trace, whatever ran before it in the process',
  { timeout: 480_000 },
  async () => {
    for (const of of Object.keys(SUBJECTS)) {
      const [one, again] = [
        await runLives({ of, seed: 3, lives: 4 }),
        await runLives({ of, seed: 3, lives: 4, processes: 2 }),
      ];
      assert.equal(one.lives, 4);
      assert.deepEqual(again.hashes, one.hashes);
      assert.equal(new Set(one.hashes.values()).size, 4);
    }
  },
);
