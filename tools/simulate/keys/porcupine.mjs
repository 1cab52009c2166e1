#!/usr/bin/env node
// @ts-check
// The checker of keys against Porcupine, on histories of chance: node tools/simulate/keys/porcupine.mjs 2000 (needs Go).
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { randomOf } from '../random.mjs';
import { isLinearizable, pointsOf } from './linearizable.rules.mjs';

/** @typedef {import('./linearizable.rules.mjs').Op} Op */
const TIMES = { lease: 20, replay: 60, secretReplay: 15 };

/** @param {number} seed @returns {Op[]} */
function historyOf(seed) {
  const random = randomOf('porcupine', seed);
  const times = new Set();
  while (times.size < 14) times.add(random.below(random.chance(0.2) ? 90_000 : 2_000));
  const moments = [...times];
  const ops = Array.from({ length: random.between(2, 7) }, (_, nth) => {
    const [from, to] = moments.slice(2 * nth, 2 * nth + 2).sort((one, other) => one - other);
    const answer = random.pick(
      /** @type {Op['answer'][]} */ ([
        'made',
        'made',
        'replayed',
        'replayed',
        'busy',
        'mismatch',
        'none',
        'none',
      ]),
    );
    const ends = random.pick(/** @type {('made' | 'refused')[]} */ (['made', 'made', 'refused']));
    const hasRun = answer === 'made' || answer === 'none';
    const value = hasRun ? `v${nth}` : undefined;
    const hasEffect = hasRun && ends === 'made' && (answer === 'made' || random.chance(0.5));
    return {
      ...{
        name: `r${nth}.1`,
        key: 'k1',
        isSecret: false,
        from,
        to,
        end: to,
        owner: 'm1.1',
        value,
        ends,
        hasEffect,
      },
      ...{ answer, request: random.chance(0.8) ? 'messages.send x' : 'messages.send y', effectAt: from },
      got: answer === 'made' ? value : undefined,
    };
  });
  const values = ops.flatMap(({ value }) => value ?? []);
  for (const op of ops) if (op.answer === 'replayed') op.got = random.pick([...values, 'nothing']);
  return ops;
}

const histories = Array.from({ length: Number(process.argv[2] ?? 2_000) }, (_, seed) => historyOf(seed));
const input = JSON.stringify(
  histories.map((ops) => ops.map((op) => ({ ...op, points: pointsOf(op), last: op.to }))),
);
const cwd = fileURLToPath(new URL('./porcupine', import.meta.url));
const verdicts = execFileSync('go', ['run', '.'], { cwd, input, maxBuffer: 2 ** 28 })
  .toString()
  .trim()
  .split('\n');
const ours = histories.map((ops) => isLinearizable(ops, TIMES));
const differ = ours.flatMap((isPossible, nth) => (String(isPossible) === verdicts[nth] ? [] : [nth]));
for (const nth of differ.slice(0, 3))
  console.log(`history ${nth}: ${ours[nth]} here`, JSON.stringify(histories[nth]));
console.log(
  `${histories.length} histories, ${ours.filter(Boolean).length} possible, ${differ.length} judged differently by Porcupine`,
);
process.exitCode = differ.length === 0 && verdicts.length === histories.length ? 0 : 1;
