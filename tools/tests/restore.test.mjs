import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Book } from '../ledger/book.mjs';
import { renderRestore } from '../ledger/report.mjs';
import { judgeRestore } from '../ledger/restore.rules.mjs';
import { readDelivered } from '../operator-cli/backup-commands.mjs';

/** Two messages that waited when the backup began: a was sent before the loss, b after the restore. */
function drillOf(change = (/** @type {any} */ _drill) => {}) {
  const book = new Book();
  book.webhooks.push('w');
  for (const recipient of ['a@mail.test', 'b@mail.test']) {
    const wanted = { id: `<${recipient}>`, events: ['message.delivered'], status: 'Delivered' };
    book.accept([{ kind: 'send', recipient, ...wanted, ended: 'Delivered', attempts: 2 }]);
    book.arrived(recipient);
    book.called(`id-${recipient}`, { webhook_id: 'w', type: 'message.delivered', data: { recipient } });
  }
  book.unanswered.add('c@mail.test');
  book.arrived('c@mail.test');
  const arrived = new Map([
    ['a@mail.test', 1],
    ['c@mail.test', 1],
  ]);
  const drill = {
    book,
    arrivedBefore: new Map(),
    arrivedAtLoss: arrived,
    arrivedWhileOff: new Map(arrived),
    logged: new Set(['a@mail.test', 'b@mail.test']),
    later: ['c@mail.test'],
    marked: 1,
    broken: /** @type {string[]} */ ([]),
  };
  change(drill);
  return judgeRestore(drill);
}

const findingsOf = (verdict) =>
  Object.entries(verdict.findings)
    .filter(([, found]) => found.length > 0)
    .map(([what]) => what);

describe('the verdict of a restore drill', () => {
  it('finds nothing where waiting messages arrived once, and counts messages that were accepted too late', () => {
    const verdict = drillOf();
    assert.equal(verdict.isKept, true);
    assert.deepEqual(verdict.facts, {
      ...{ required: 2, waiting: 2, sentMeanwhile: 1, marked: 1, sentTwice: 0, repeatedEvents: 0 },
      ...{ acceptedLater: 1, sentLater: 1 },
    });
    assert.match(renderRestore(verdict), /^restore drill\n\n2 {2}accepted before/);
  });

  /** @type {[string, (drill: any) => void, string][]} */
  const broken = [
    ['a message that never arrived', ({ book }) => book.arrivals.delete('b@mail.test'), 'lost'],
    [
      'one that arrived again though the log has it',
      ({ book }) => book.arrived('a@mail.test'),
      'sent again, although the log records its delivery',
    ],
    [
      'one that arrived while deliveries were off',
      ({ arrivedWhileOff }) => arrivedWhileOff.set('b@mail.test', 1),
      'sent while deliveries were off',
    ],
    ['an event that never reached the webhook', ({ book }) => book.events.clear(), 'webhook event missing'],
    [
      'a key that does not work',
      (drill) => drill.broken.push('the API key'),
      'earlier key, login or suppression no longer works',
    ],
    ['one that was never accepted', ({ book }) => book.arrived('x@mail.test'), 'arrived, but never accepted'],
  ];
  for (const [what, change, finding] of broken) {
    it(`finds ${what}`, () => {
      const verdict = drillOf(change);
      assert.deepEqual(findingsOf(verdict), [finding]);
      assert.equal(verdict.isKept, false);
      assert.match(renderRestore(verdict), /!!!/);
    });
  }

  it('accepts, and counts, messages that arrived twice where the log was cut off', () => {
    const verdict = drillOf(({ book, logged }) => {
      book.arrived('a@mail.test');
      logged.delete('a@mail.test');
    });
    assert.deepEqual([verdict.isKept, verdict.facts.sentTwice], [true, 1]);
  });
});

describe('a line of a log', () => {
  const line = (more) =>
    JSON.stringify({
      event: 'delivery.attempted',
      time: '2026-03-01T10:00:00.000Z',
      message_id: 'an-id',
      outcome: 'delivered',
      sandbox: false,
      remote_host: 'mx.one.test',
      ...more,
    });
  it('gives the delivered message, also after the prefix of a log collector', () => {
    const delivered = { id: 'an-id', at: '2026-03-01T10:00:00.000Z', remote_host: 'mx.one.test' };
    assert.deepEqual(readDelivered(line({})), delivered);
    assert.deepEqual(readDelivered(`postmesh-1 | ${line({})}`), delivered);
  });
  for (const [what, text] of [
    ['a deferred one', line({ outcome: 'deferred' })],
    ['a sandbox message', line({ sandbox: true })],
    ['another event', line({ event: 'request.served', path: '"delivery.attempted"' })],
    ['one that was cut off', line({}).slice(0, -20)],
    ['one without a time', line({ time: 'soon' })],
  ])
    it(`gives nothing: ${what}`, () => assert.equal(readDelivered(text), undefined));
});
