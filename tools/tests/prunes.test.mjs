// Jobs that remove rows have no rate (decision 72). Jobs in batches with a limit are listed here with a reason.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A run of these ends after some batches, since a batch does more than to remove rows. */
const LIMITED = {
  'services/delivery-worker/src/tls/keep-sts-policies.ts': 'fetches policies from the servers of others',
  'services/marketing/src/sending/campaign-feeder.ts': 'makes batches due, in turns between campaigns',
  'services/marketing/src/campaigns/recheck-contents.ts': 'judges designs, some milliseconds each',
  'services/marketing/src/sign-ups/sign-up-mailer.ts': 'hands mail over, with its prune after it',
  'services/messages/src/cancel-message/cancellations.ts': 'asks the delivery worker',
  'services/messages/src/tls-reports/collect-tls-sessions.ts':
    'asks the delivery worker, with its prune after it',
  'services/messages/src/tls-reports/send-tls-reports.ts': 'asks DNS and web servers of others',
  'services/messages/src/tracking/decide-clicks.ts': 'locks messages, and leaves those of others that do it',
};

/** @param {string} source that calls `inBatches` @returns {boolean} whether a run of it has a limit */
const hasLimit = (source) => /\{\s*size\b[^{}]*\bmax\b/.test(source);

/** @returns {Map<string, string>} sources that go in batches, by path */
function batched() {
  const found = new Map();
  for (const part of ['libs', 'services']) {
    for (const project of readdirSync(join(root, part))) {
      const folder = join(part, project, 'src');
      for (const name of readdirSync(join(root, folder), { recursive: true })) {
        const path = join(folder, String(name)).replaceAll('\\', '/');
        if (!path.endsWith('.ts') || path.endsWith('.spec.ts') || path.endsWith('in-batches.ts')) continue;
        const source = readFileSync(join(root, path), 'utf8');
        if (/\binBatches\(/.test(source)) found.set(path, source);
      }
    }
  }
  return found;
}

test('a limit is seen, on one line, on several, and beforehand', () => {
  assert.equal(hasLimit('await inBatches(step, { size: 5, max: 10, signal });'), true);
  assert.equal(
    hasLimit('await inBatches(() => changed(db, SQL, [1]), {\n  size: 5,\n  max: MOST,\n  signal,\n});'),
    true,
  );
  assert.equal(hasLimit('const limits = { size: 5, max: 7, signal };\nawait inBatches(step, limits);'), true);
  assert.equal(hasLimit('const limits = { size: 5, signal };\nawait inBatches(step, limits);'), false);
});

test('a prune continues until nothing is left: only jobs with other work have a limit', () => {
  const sources = batched();
  assert.ok(sources.size > 20, `only ${sources.size} files go in batches`);
  const limited = [...sources].filter(([, source]) => hasLimit(source)).map(([path]) => path);
  assert.deepEqual(limited.toSorted(), Object.keys(LIMITED).toSorted());
});
