import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { Book } from '../ledger/book.mjs';
import { randomFrom } from '../ledger/kills.mjs';
import { readOptions } from '../ledger/options.mjs';
import { renderLedger } from '../ledger/report.mjs';
import { settle } from '../ledger/settle.mjs';
import { judge } from '../ledger/verdict.rules.mjs';

const RECEPTION = 'message.reception';
const DELIVERED = 'message.delivered';
let ids = 0;

/** A book in which one message of a kind was accepted, arrived, ended and reached the webhooks. */
function bookOf(kind, more = {}) {
  const book = new Book();
  book.webhooks.push('w1', 'w2');
  const recipient = kind === 'inbound' ? 'a@inbox.test' : 'a@mail.test';
  const wanted = { id: '0199-1', events: [RECEPTION, DELIVERED], status: 'Delivered' };
  const item = { kind, recipient, ...wanted, ended: 'Delivered', attempts: 1, intact: true, ...more };
  book.accept([item]);
  book.arrived(recipient);
  for (const webhook_id of book.webhooks)
    for (const type of item.events) book.called(`msg_${++ids}`, { webhook_id, type, data: { recipient } });
  if (kind === 'inbound') book.routed(`msg_${++ids}`, { data: { id: '01991' } });
  return book;
}

const findingsOf = (book) =>
  Object.entries(judge(book).findings)
    .filter(([, found]) => found.length > 0)
    .map(([what]) => what);

describe('the ledger', () => {
  it('finds nothing where everything arrived once', () => {
    for (const kind of ['send', 'several', 'submission', 'sandbox', 'inbound', 'campaign']) {
      const verdict = judge(bookOf(kind));
      assert.deepEqual(findingsOf(bookOf(kind)), []);
      assert.equal(verdict.isKept, true);
      assert.deepEqual(
        [verdict.total.accepted, verdict.total.delivered, verdict.total.lost, verdict.total.duplicates],
        [1, 1, 0, 0],
      );
    }
  });

  it('counts messages as lost that did not arrive, or arrived and ended in a wrong status', () => {
    const gone = bookOf('send');
    gone.arrivals.clear();
    assert.deepEqual(findingsOf(gone), ['lost']);
    assert.deepEqual(findingsOf(bookOf('send', { ended: 'Deferred' })), ['lost']);
    assert.equal(judge(bookOf('send', { ended: undefined })).isKept, false);
  });

  it('wants one consent of each address whose button was pressed, and no other', () => {
    /** @param {(book: Book) => unknown} [change] */
    const joined = (change) => {
      const book = bookOf('sign-up');
      book.confirmed.add('a@mail.test');
      book.consents = new Map([['a@mail.test', 1]]);
      change?.(book);
      return findingsOf(book);
    };
    const wrong = ['sign-up was not confirmed exactly once'];
    assert.deepEqual(joined(), []);
    assert.deepEqual(
      joined((book) => book.consents.set('a@mail.test', 2)),
      wrong,
    );
    assert.deepEqual(
      joined((book) => book.consents.clear()),
      wrong,
    );
    assert.deepEqual(
      joined((book) => book.consents.set('b@mail.test', 1)),
      wrong,
    );
    assert.deepEqual(
      joined((book) => book.confirmed.clear()),
      wrong,
    );
    assert.deepEqual(
      joined((book) => (book.chainProblem = 'seq 3')),
      ['chain of consents is not whole'],
    );
    assert.deepEqual(
      joined((book) => book.arrived('a@mail.test')),
      ['duplicate without a record'],
    );
  });

  it('wants one subject for each recipient of a trial, and that of the winner for all others', () => {
    /** @param {(string | string[])[]} subjects @param {number | null} [winner] */
    const tried = (subjects, winner = 1) => {
      const book = new Book();
      book.campaigns.push({
        id: 'c',
        recipients: subjects.length,
        status: 'sent',
        stats: { recipients: subjects.length, delivered: subjects.length },
        trial: { winner, tried: 3 },
      });
      for (const [nth, given] of subjects.entries()) {
        const recipient = `trial1-${nth}@mail.test`;
        const item = { recipient, id: `0199-${nth}`, events: [], status: 'delivered', campaign: 'c' };
        book.accept([{ kind: 'trial', ...item, ended: 'delivered', attempts: 1 }]);
        book.arrived(recipient);
        for (const subject of [given].flat()) book.read(recipient, subject);
      }
      return findingsOf(book);
    };
    const [own, other] = ['News A', 'News B'];
    const wrong = ['trial did not give each recipient the right subject once'];
    assert.deepEqual(tried([own, other, own, other, other]), []);
    assert.deepEqual(tried([own, other, own, own, own], 0), []);
    assert.deepEqual(tried([own, other, own, other, own]), wrong);
    assert.deepEqual(tried([own, other, own, other, [own, other]]), wrong);
    assert.deepEqual(tried([own, other, own, other, other], null), wrong);
  });

  it('expects no arrival of sandbox and inbound messages', () => {
    const book = bookOf('sandbox');
    book.arrivals.clear();
    assert.deepEqual(findingsOf(book), []);
  });

  it('counts a duplicate as uncertain only where the message reports as many attempts', () => {
    const recorded = bookOf('send', { attempts: 2 });
    recorded.arrived('a@mail.test');
    assert.deepEqual(findingsOf(recorded), []);
    assert.deepEqual([judge(recorded).total.duplicates, judge(recorded).total.uncertain], [1, 1]);
    const silent = bookOf('send', { attempts: 1 });
    silent.arrived('a@mail.test');
    assert.deepEqual(findingsOf(silent), ['duplicate without a record']);
    assert.deepEqual([judge(silent).total.duplicates, judge(silent).total.uncertain], [1, 0]);
    const unread = bookOf('campaign', { attempts: null });
    unread.arrived('a@mail.test');
    assert.deepEqual(findingsOf(unread), ['duplicate without a record']);
  });

  it('finds an event that one webhook never got, and a route that was never called', () => {
    const book = bookOf('inbound');
    book.events.delete(`w2 ${DELIVERED} a@inbox.test`);
    book.routeCalls.clear();
    assert.deepEqual(findingsOf(book), ['webhook event missing', 'route call missing']);
    assert.equal(judge(book).total.webhooksMissing, 2);
  });

  it('finds an event under two ids, and two events under one', () => {
    const event = { webhook_id: 'w1', type: DELIVERED, data: { recipient: 'a@mail.test' } };
    const two = bookOf('send');
    two.called('msg_other', event);
    assert.deepEqual(findingsOf(two), ['event or route call with several or shared webhook-ids']);
    const shared = bookOf('send');
    const [id] = shared.events.get(`w1 ${DELIVERED} a@mail.test`)?.ids ?? [];
    shared.events.set(`w1 ${RECEPTION} a@mail.test`, { ids: new Set([id]), calls: 1 });
    assert.deepEqual(findingsOf(shared), ['event or route call with several or shared webhook-ids']);
    const repeated = bookOf('send');
    repeated.called(id, { ...event, webhook_id: 'w9' });
    repeated.called(id, { ...event, webhook_id: 'w9' });
    assert.equal(judge(repeated).repeatedCalls, 1);
  });

  it('finds an inbound record that is another one', () => {
    assert.deepEqual(findingsOf(bookOf('inbound', { intact: false })), [
      'inbound record differs from the sent message',
    ]);
  });

  it('finds an import that imported a line twice, or never', () => {
    const view = { state: 'done', lines: 10, lines_done: 10, created: 9, unchanged: 0, errors: 1 };
    const withImport = (changed) => {
      const book = bookOf('send');
      const kind = /** @type {const} */ ('contacts');
      const about = { kind, id: 'i', lines: 10, nonsense: 1, made: 9 };
      book.imports.push({ ...about, view: { ...view, ...changed } });
      return findingsOf(book);
    };
    assert.deepEqual(withImport({}), []);
    for (const changed of [{ unchanged: 1 }, { created: 8 }, { lines_done: 9 }, { state: 'working' }])
      assert.deepEqual(withImport(changed), ['import did not apply each line once']);
  });

  it('finds an unfinished campaign', () => {
    const book = bookOf('campaign');
    book.campaigns.push({ id: 'c', recipients: 1, status: 'sent', stats: { recipients: 1, delivered: 1 } });
    assert.deepEqual(findingsOf(book), []);
    book.campaigns[0].stats = { recipients: 1, delivered: 0 };
    assert.deepEqual(findingsOf(book), ['campaign did not reach each recipient']);
  });

  it('finds a message that was never accepted, but not one whose response was cut off', () => {
    const book = bookOf('send');
    book.arrived('cut@mail.test');
    book.unanswered.add('cut@mail.test');
    book.arrived('owner@elsewhere.test');
    assert.deepEqual(findingsOf(book), []);
    book.arrived('strange@mail.test');
    assert.deepEqual(findingsOf(book), ['arrived, but never accepted']);
  });

  it('allows no duplicate, long outage or cut stop where processes only came and went', () => {
    const rolled = (change) => {
      const book = bookOf('send', { attempts: 2 });
      book.stops.push({ what: 'messages-1', code: 0, tookMs: 900 });
      for (const at of [1_000, 2_500]) book.answered(at);
      change(book);
      return findingsOf(book);
    };
    assert.deepEqual(
      rolled((book) => {
        book.refused(2_600);
        book.refused(2_700);
        book.answered(3_500);
      }),
      [],
    );
    assert.deepEqual(
      rolled((book) => book.arrived('a@mail.test')),
      ['duplicate without a kill'],
    );
    assert.deepEqual(
      rolled((book) => book.stops.push({ what: 'gateway-1', code: null, tookMs: 30_000 })),
      ['process did not stop cleanly'],
    );
    const refused = ['acceptance was refused for longer than a second'];
    assert.deepEqual(
      rolled((book) => {
        book.refused(2_600);
        book.refused(3_400);
        book.answered(3_700);
      }),
      refused,
    );
    assert.deepEqual(
      rolled((book) => book.refused(2_600)),
      refused,
    );
  });

  it('finds a message that arrived without a signature', () => {
    const book = bookOf('send');
    book.arrived('owner@elsewhere.test', false);
    assert.deepEqual(findingsOf(book), []);
    book.unsigned.add('a@mail.test');
    assert.deepEqual(findingsOf(book), ['arrived without a signature']);
  });

  it('finds a message that came by two ways', () => {
    const book = bookOf('send', { attempts: 3 });
    book.arrived('a@mail.test');
    assert.deepEqual(findingsOf(book), []);
    book.arrived('a@mail.test', true, 'relay one');
    assert.deepEqual(findingsOf(book), ['arrived by two ways']);
  });

  it('kills relays, too, where mail leaves by them', () => {
    const { kills, relays } = readOptions(['--relays', '--minutes', '1']);
    assert.deepEqual([relays, kills.embedded.includes('relay'), kills.embedded.length], [true, true, 4]);
    assert.equal(readOptions([]).relays, false);
    assert.throws(() => readOptions(['--relays', '--roll']), /--relays goes with kills/);
  });

  it('has stores that lie instead of kills, each in its mode', () => {
    const { modes, kills, faults } = readOptions(['--faults', 'disk', '--minutes', '1']);
    assert.deepEqual([modes, faults], [['embedded'], ['disk']]);
    assert.deepEqual(kills.embedded, ['disk-sync', 'disk-io', 'disk-stall', 'disk-sync']);
    assert.deepEqual(readOptions(['--faults', 'net,kafka']).modes, ['distributed']);
    assert.deepEqual(readOptions([]).faults, []);
    assert.throws(() => readOptions(['--faults', 'disk,net']), /needs the mode distributed/);
    assert.throws(() => readOptions(['--faults', 'memory']), /--faults knows/);
    assert.throws(() => readOptions(['--faults', 'disk', '--relays']), /--faults goes with kills only/);
  });

  it('wants "later" as the answer while a store lies, and never a final no', () => {
    const book = bookOf('send');
    const tried = { what: '503 {}', status: 503, tookMs: 12, during: 'disk-sync' };
    book.failedTries.push(tried, { ...tried, status: 409 }, { ...tried, status: 0, during: 'all-in-one' });
    assert.deepEqual(findingsOf(book), []);
    assert.match(
      renderLedger('embedded', Object.assign(book, { kills: [{ what: 'disk-sync' }] }), judge(book)),
      /disk-sync: 2 first/,
    );
    book.failedTries.push({ ...tried, status: 500 });
    assert.deepEqual(findingsOf(book), ['answered otherwise than "later", while a store did not work']);
    book.failedTries.pop();
    book.refusedForGood.push('a@mail.test: 550 no');
    assert.deepEqual(findingsOf(book), ['refused for good']);
  });

  it('rolls in the distributed mode, without kills meanwhile', () => {
    const { modes, kills, roll } = readOptions(['--roll']);
    assert.deepEqual([modes, kills.distributed, roll], [['distributed'], [], {}]);
    assert.equal(readOptions([]).roll, undefined);
    assert.ok(readOptions(['--roll-to', 'other']).roll?.to?.endsWith('/other'));
    const { from, to } = readOptions(['--roll-from', 'before']).roll ?? {};
    assert.ok(from?.endsWith('/before'));
    assert.ok(to);
    assert.throws(
      () => readOptions(['--roll-from', 'a', '--roll-to', 'b']),
      /--roll-from goes without --roll-to/,
    );
    assert.deepEqual(readOptions(['--mode', 'cluster', '--roll']).roll, {});
    assert.deepEqual(readOptions(['--mode', 'cluster', '--minutes', '0.25']).kills.cluster, ['node']);
    assert.throws(() => readOptions(['--roll', '--mode', 'embedded']), /--roll needs the distributed mode/);
    assert.throws(() => readOptions(['--roll', '--kills', 'kafka']), /--roll goes without --kills/);
  });

  it('takes the longest time between two accepted requests as the longest outage', () => {
    const book = bookOf('send');
    for (const at of [1_000, 1_100, 9_100, 9_200]) book.answered(at);
    assert.equal(judge(book).longestOutageMs, 8_000);
  });

  it('prints one table with the findings below it', () => {
    const book = bookOf('send');
    book.arrivals.clear();
    const text = renderLedger('embedded', book, judge(book));
    assert.match(text, /^\| send +\| +1 \| +0 \| +1 \|/m);
    assert.match(text, /^!!! lost: send a@mail\.test/m);
  });

  it('kills in the same way for the same seed', () => {
    const take = (seed) => Array.from({ length: 5 }, randomFrom(seed));
    assert.deepEqual(take(7), take(7));
    assert.notDeepEqual(take(7), take(8));
    assert.ok(Array.from({ length: 1_000 }, randomFrom(7)).every((one) => one >= 0 && one < 1));
  });

  it('reads its options, and refuses unknown ones', () => {
    const { modes, kills, seconds } = readOptions(['--minutes', '1', '--mode', 'distributed']);
    assert.deepEqual([modes, seconds, kills.distributed.length], [['distributed'], 60, 4]);
    const named = readOptions(['--mode', 'embedded', '--kills', 'all-in-one', '--minutes', '1']);
    assert.deepEqual(new Set(named.kills.embedded), new Set(['all-in-one']));
    for (const wrong of [
      ['--mode', 'both'],
      ['--minutes', '0'],
      ['--rate', '1.5'],
      ['--kills', 'kafka'],
    ])
      assert.throws(() => readOptions(wrong));
  });
});

describe('the ledger and conversations', () => {
  const SHARED = '<0199-1@ledger.test>';
  const RECIPIENTS = ['several1-0@mail.test', 'several1-1@mail.test', 'several1-2@mail.test'];

  /**
   * One conversation, settled against an API that responds like Postmesh: with the first record of the shared
   * Message-ID, or with that of the recipient in the query.
   * @param {readonly number[]} arrivals @param {readonly number[]} attempts of each record
   */
  async function settled(arrivals, attempts) {
    const book = new Book();
    const wanted = { id: SHARED, events: [], status: 'Delivered' };
    book.accept(RECIPIENTS.map((recipient) => ({ kind: 'several', recipient, ...wanted })));
    for (const [nth, recipient] of RECIPIENTS.entries())
      for (let n = 0; n < arrivals[nth]; n += 1) book.arrived(recipient);
    const api = createServer((request, response) => {
      const { pathname, searchParams } = new URL(String(request.url), 'http://localhost');
      const nth = RECIPIENTS.indexOf(searchParams.get('recipient') ?? RECIPIENTS[0]);
      const isShared = pathname === `/v2/accounts/a/messages/${encodeURIComponent(SHARED)}`;
      response.writeHead(isShared && nth >= 0 ? 200 : 404);
      response.end(JSON.stringify({ id: `0199-${nth}`, status: 'Delivered', num_attempts: attempts[nth] }));
    });
    await new Promise((resolve) => api.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (api.address());
    const url = `http://127.0.0.1:${port}`;
    const addresses = {
      api: url,
      operator: url,
      operatorToken: 't',
      account: 'a',
      key: 'k',
      submission: 0,
      mx: 0,
    };
    const nothing = async () => {};
    const system = { addresses: () => addresses, parts: [], acceptsMeanwhile: true, output: () => '' };
    await settle({ ...system, kill: nothing, begin: nothing, stop: nothing }, book);
    api.closeAllConnections();
    await new Promise((resolve) => api.close(() => resolve(undefined)));
    return book;
  }

  it('read the record of each recipient, which has a repeated attempt', async () => {
    const book = await settled([1, 2, 3], [1, 2, 3]);
    assert.deepEqual(findingsOf(book), []);
    assert.deepEqual([judge(book).total.duplicates, judge(book).total.uncertain], [3, 3]);
    assert.deepEqual(
      [...book.items.values()].map(({ record }) => record),
      ['0199-0', '0199-1', '0199-2'],
    );
  });

  it('find a duplicate that only the record of another recipient would account for', async () => {
    const book = await settled([1, 2, 1], [2, 1, 1]);
    assert.deepEqual(judge(book).findings['duplicate without a record'], [
      `several ${RECIPIENTS[1]} ${SHARED} (Delivered, 1 attempts)`,
    ]);
  });
});
