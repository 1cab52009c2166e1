import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { waitUntil } from '../tools/processes.mjs';
import { whileFrozen } from './frozen.mjs';
import { figuresOf } from './kept-figures.rules.mjs';
import {
  cpuOfMessage,
  joinByMessageId,
  judgeBacklog,
  median,
  medianRound,
  percentiles,
  perRequest,
  thinOut,
} from './figures.rules.mjs';
import { MessageRequest, PlainRequest, readAnswer, textOf } from './http-client.mjs';
import { readOptions } from './options.mjs';
import { ProfileCount } from './profile.rules.mjs';
import { ratiosOf, renderReport } from './report.mjs';
import { SmtpSession, readHead } from './sink.mjs';

const everySecond = (seconds, counts) =>
  Array.from({ length: seconds }, (_, i) => ({ second: i + 1, ...counts(i + 1) }));
const run = { rate: 1000, seconds: 60 };

describe('figures of the bench', () => {
  it('take percentiles by rank, in milliseconds', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => (100 - i) * 1000);
    assert.deepEqual(percentiles(hundred), { p50: 50, p95: 95, p99: 99, max: 100 });
    assert.equal(percentiles([]), null);
  });

  it('call a constant backlog flat, at any height', () => {
    const samples = everySecond(60, (s) => ({
      accepted: 1000 * s,
      delivered: 1000 * s - 300 - (s % 7) * 10,
    }));
    assert.equal(judgeBacklog(samples, run).verdict, 'flat');
  });

  it('call a backlog growing that gains two messages in a hundred', () => {
    const samples = everySecond(60, (s) => ({ accepted: 1000 * s, delivered: 980 * s }));
    assert.deepEqual(judgeBacklog(samples, run), {
      verdict: 'grows',
      slope_per_second: 20,
      accepted_of_offered: 1,
    });
  });

  it('do not take a flat backlog for success when less was accepted than offered', () => {
    const samples = everySecond(60, (s) => ({ accepted: 600 * s, delivered: 600 * s }));
    assert.equal(judgeBacklog(samples, run).verdict, 'flat, but short of offers');
  });

  it('judge nothing from a single sample', () => {
    assert.equal(judgeBacklog([{ second: 1, accepted: 1, delivered: 1 }], run).verdict, 'not judged');
  });

  it('keep one sample in ten seconds', () => {
    assert.deepEqual(
      thinOut(
        everySecond(35, () => ({})),
        10,
      ).map(({ second }) => second),
      [10, 20, 30],
    );
  });

  it('join by Message-ID and count missing and duplicate messages', () => {
    const accepted = new Map([
      ['a', 100],
      ['b', 200],
      ['c', 300],
    ]);
    /** @type {[string, number][]} */
    const arrivals = [
      ['a', 150],
      ['warm-up', 160],
      ['b', 190],
      ['a', 400],
    ];
    assert.deepEqual(joinByMessageId(accepted, arrivals), { micros: [50, 0], duplicates: 1, missing: 1 });
  });
});

describe('the CPU time of a message', () => {
  const at = (main, threads, backends) => ({
    threads: new Map([
      ['main', main],
      ['threads', threads],
    ]),
    backends: new Map(backends.map(([pid, name, seconds]) => [pid, { name, seconds }])),
  });

  it('is the use since a time, by thread and by PostgreSQL’s clients, with a separate signature', () => {
    const before = at(1, 2, [[7, 'messages', 3]]);
    const after = at(1.5, 3, [
      [7, 'messages', 3.2],
      [8, 'messages', 0.1],
      [9, 'server', 0.2],
    ]);
    assert.deepEqual(cpuOfMessage(before, after, { messages: 1000, signature: 400 }), {
      all: 2000,
      rest: 1600,
      node: 1500,
      postgres: 500,
      signature: 400,
      threads: { main: 500, threads: 1000 },
      backends: { messages: 300, server: 200 },
    });
  });

  it('is compared by the median of pairs, which is symmetric', () => {
    assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3]), median([7])], [2, 2.5, 7]);
  });

  it('has the median round, and the least', () => {
    const rounds = [5, 1, 3].map((all) => ({ cpu_us: { all }, messages_per_second: 10 - all }));
    assert.deepEqual(medianRound(rounds), { cpu_us: { all: 3 }, messages_per_second: 7, least_us: 1 });
  });

  it('is shown for each load and system', () => {
    const cpu = { all: 2000, rest: 1600, node: 1500, postgres: 500, threads: { main: 600 } };
    const systems = [
      {
        name: 'this tree',
        cold: { cpu_us: cpu, messages_per_second: 400 },
        loads: { rate: { cpu_us: cpu, least_us: 1900 } },
      },
      { name: 'Postfix, signed', loads: { burst: { cpu_us: { all: 5000 }, messages_per_second: 300 } } },
    ];
    const speed = {
      name: 'CPU',
      rate: 500,
      rounds: 5,
      systems,
      memory: [],
      ratios: { 'burst: CPU to x': 0.5 },
    };
    const machine = { cpu: 'x', cores: 2, load_average_before: 0 };
    const report = {
      machine,
      versions: {},
      accept: [],
      relay: {},
      sends: [],
      speed,
      skipped: [],
      failures: [],
    };
    const text = renderReport({ ...report, ratios: ratiosOf(report) });
    assert.match(text, /500\/s, median of 5\n.*\n +this tree +- +2000 +1900 +1600 +600 +900 +500/);
    assert.match(text, /Postfix, signed +300 +5000/);
    assert.match(text, /burst: CPU to x +0\.5/);
  });
});

describe('requests and answers of the bench', () => {
  const message = {
    host: 'h',
    port: 1,
    path: '/p',
    apiKey: 'k',
    from: 'a@bench.test',
    recipients: 2,
    bodyBytes: 200,
  };

  it('are valid JSON of the declared length, with recipients of their own', () => {
    const request = new MessageRequest(message);
    const [first, second] = [0, 21].map((number) => request.numbered(number).toString().split('\r\n\r\n'));
    assert.equal(Number(/Content-Length: (\d+)/.exec(first[0])?.[1]), Buffer.byteLength(first[1]));
    assert.deepEqual(JSON.parse(first[1]).to, [
      { email: 'u000000000@r00.test' },
      { email: 'u000000001@r01.test' },
    ]);
    assert.deepEqual(JSON.parse(second[1]).to, [
      { email: 'u000000042@r02.test' },
      { email: 'u000000043@r03.test' },
    ]);
    assert.equal(JSON.parse(second[1]).text_content.length, 200);
  });

  it('have no body where none is needed, and a key only when one is given', () => {
    const of = (about) => new PlainRequest({ host: 'h', port: 1, path: '/v2/ping', ...about }).numbered(7);
    assert.equal(
      of({ apiKey: 'k' }).toString(),
      'GET /v2/ping HTTP/1.1\r\nHost: h:1\r\nAuthorization: Bearer k\r\n\r\n',
    );
    assert.doesNotMatch(of({}).toString(), /Authorization/);
  });

  it('carry the wanted size of text, in terminated lines', () => {
    for (const bytes of [1, 2, 3, 79, 80, 81, 82, 83, 2000]) {
      assert.equal(textOf(bytes).length, bytes);
      assert.doesNotMatch(textOf(bytes), /\r(?!\n)|(?<!\r)\n/);
    }
  });

  /** @type {any[][]} */
  const cases = [
    ['a length', 'HTTP/1.1 202 Accepted\r\ncontent-length: 4\r\n\r\nbody', { status: 202, body: 'body' }],
    [
      'chunks',
      'HTTP/1.1 429 x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n',
      { status: 429, body: 'body' },
    ],
  ];
  for (const [name, text, expected] of cases) {
    it(`are read with ${name}, only when they are complete`, () => {
      const response = readAnswer(Buffer.from(text));
      assert.deepEqual({ ...response, body: response?.body.toString() }, expected);
      for (let cut = 0; cut < text.length; cut += 1)
        assert.equal(readAnswer(Buffer.from(text.slice(0, cut))), undefined);
    });
  }
});

describe('the sink of the bench', () => {
  const MESSAGE = 'Message-Id: <1@x>\r\nDKIM-Signature: v=1\r\n\r\nMessage-ID: <no@x>\r\n..\r\n.\r\n';
  const TALK = `EHLO c\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\n${MESSAGE}MAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\n.\r\nQUIT\r\n`;

  function talk(pieces, options = {}) {
    /** @type {{ replies: string, messages: any[], ended: boolean, tls: boolean }} */
    const received = { replies: '', messages: [], ended: false, tls: false };
    const wire = {
      write: (text) => (received.replies += text),
      end: () => (received.ended = true),
      startTls: options.tls && (() => (received.tls = true)),
    };
    const session = new SmtpSession(wire, (messages) => received.messages.push(...messages));
    pieces.forEach((piece) => session.receive(Buffer.from(piece)));
    return received;
  }
  const codes = ({ replies }) => replies.match(/^\d{3}(?= )/gm);

  it('answers pipelined commands in order, cut anywhere', () => {
    for (const size of [1, 2, 3, 5, 7, 1000]) {
      const pieces = TALK.match(new RegExp(`[^]{1,${size}}`, 'g'));
      const received = talk(pieces);
      assert.deepEqual(codes(received), [
        '220',
        '250',
        '250',
        '250',
        '354',
        '250',
        '250',
        '250',
        '354',
        '250',
        '221',
      ]);
      assert.deepEqual(
        received.messages.map(({ head }) => readHead(head)),
        [
          { id: '<1@x>', signed: true },
          { id: '', signed: false },
        ],
      );
      assert.equal(received.ended, true);
    }
  });

  it('accepts no message without a recipient and has no other commands', () => {
    assert.deepEqual(codes(talk(['MAIL FROM:<>\r\nDATA\r\nXYZZ\r\n'])), ['220', '250', '503', '502']);
  });

  it('offers STARTTLS once, and drops data sent after it in clear', () => {
    assert.doesNotMatch(talk(['EHLO c\r\n']).replies, /STARTTLS/);
    const received = talk(['EHLO c\r\nSTARTTLS\r\nMAIL FROM:<>\r\n', 'EHLO c\r\n'], { tls: true });
    assert.equal(received.tls, true);
    assert.deepEqual(codes(received), ['220', '250', '220', '250']);
    assert.equal(received.replies.match(/STARTTLS/g)?.length, 1);
  });

  it('hangs up on a line without an end', () => {
    assert.equal(talk(['x'.repeat(10_000)]).ended, true);
  });
});

describe('options of the bench', () => {
  it('have defaults and bounds', () => {
    assert.equal(readOptions([]).bodyBytes, 2000);
    assert.deepEqual(readOptions(['--only', 'deliver,accept']).only, ['deliver', 'accept']);
    for (const wrong of [
      ['--rate', '0'],
      ['--seconds', '1.5'],
      ['--only', 'all'],
      ['--cores', '0'],
      ['--nonsense'],
    ]) {
      assert.throws(() => readOptions(wrong));
    }
  });
});

describe('the report of the bench', () => {
  const times = { p50: 1, p99: 2, max: 3 };
  const auth = {
    name: 'ping with a known key',
    with_key: { requests_per_second: 8000, answer_ms: times },
    same_gateway_without_key: { requests_per_second: 10_000, answer_ms: times },
    plain_fastify: { requests_per_second: 16_000, answer_ms: times },
    ratios: { with_key_to_same_gateway_without_key: 0.8, with_key_to_plain_fastify: 0.5 },
    key_us_per_request: 1.5,
    gateway_us_per_request: 62.5,
    database_transactions_per_request: 0,
    cpu_seconds_per_1000: { postmesh: 0.1, postgres: 0 },
  };

  it('puts the ratios of every part in one place', () => {
    assert.equal(ratiosOf({ relay: {}, auth }).with_key_to_plain_fastify, 0.5);
    assert.equal('with_key_to_plain_fastify' in ratiosOf({ relay: {} }), false);
  });

  it('shows the cost of a key', () => {
    const machine = {
      cpu: 'x',
      cores: 2,
      memory_gib: 4,
      kernel: 'k',
      file_system: 'f',
      load_average_before: 0,
    };
    const report = {
      machine,
      versions: {},
      accept: [],
      relay: {},
      auth,
      sends: [],
      skipped: [],
      failures: [],
    };
    const text = renderReport({ ...report, ratios: ratiosOf(report) });
    assert.match(text, /with a key +8000; 1 \/ 2/);
    assert.match(text, /database transactions per request +0\n/);
    assert.match(text, /with key to same gateway without key +0\.8/);
  });

  it('shows large messages, and each kind of send compared with plain ones', () => {
    const machine = { cpu: 'x', cores: 2, load_average_before: 0 };
    const large = {
      name: '20 messages of 20 MiB at once',
      accepted: 20,
      delivered: 20,
      other_answers: {},
      accepted_after_s: 7,
      delivered_after_s: 9,
      memory_before_mib: { postmesh: 600, postgres: 200 },
      memory_peak_mib: { postmesh: 880, postgres: null },
      small_messages: { alone_ms: times, during_ms: times },
    };
    const cpu = { cpu_seconds_per_1000: { postmesh: 1 } };
    const run = { name: 'template, 1 recipient', messages: 10, messages_per_second: 500, ...cpu };
    const ratios = { 'template, 1 recipient, messages/s to plain': 0.5 };
    const libraries = { name: 'libraries', messages_per_second: 250, ...cpu };
    const sends = [{ name: 'templates', runs: [{ ...run, ratio_to_plain: 0.5 }], libraries, ratios }];
    const report = { machine, versions: {}, accept: [], relay: {}, large, sends, skipped: [], failures: [] };
    const text = renderReport({ ...report, ratios: ratiosOf(report) });
    assert.match(text, /MiB of Postmesh before, at most +600, 880/);
    assert.match(text, /template, 1 recipient +10 +500 +0\.5/);
    assert.match(text, /template, 1 recipient, messages\/s to plain +0\.5/);
  });

  it('distinguishes small shares from zero', () => {
    assert.deepEqual([perRequest(3, 100_000), perRequest(-5, 100), perRequest(1, 0)], [0.00003, 0, null]);
  });
});

describe('a profile', () => {
  const sample = (/** @type {string[]} */ ...frames) => [
    'node  4711 ',
    ...frames.map((frame) => `\t    7f3a1c2b ${frame} (/usr/bin/node)`),
    '',
  ];

  it('counts each sample for the JavaScript frame that is nearest to it', () => {
    const count = new ProfileCount();
    const texts = [
      ...sample(
        'writev',
        'JS:*flush file:///srv/node_modules/pg/lib/connection.js:12:3',
        'JS:~run /srv/services/messages/dist/accept/store.js:4:1',
      ),
      ...sample('JS:^ file:///srv/libs/events/dist/outbox.js:9:1'),
      ...sample('JS:*push node:internal/streams/readable:5:1'),
      ...sample('v8::internal::Heap::CollectGarbage(x)', 'JS:*a /srv/node_modules/@nestjs/core/a.js:1:1'),
      ...sample('v8::internal::Compiler::Compile(y)', 'JS:*a /srv/node_modules/@nestjs/core/a.js:1:1'),
      ...sample('epoll_wait', 'uv__io_poll'),
    ];
    texts.forEach((text) => count.line(text));
    const { samples, modules, functions } = count.end();
    assert.equal(samples, 6);
    assert.deepEqual(Object.keys(Object.fromEntries(modules)).sort(), [
      '(compilation)',
      '(garbage collection)',
      '(no JavaScript) epoll_wait',
      'libs/events',
      'node:internal/streams/readable',
      'pg',
    ]);
    assert.ok(modules.every(([, share]) => share === 1 / 6));
    assert.deepEqual(
      functions.map(([name]) => name),
      [
        'flush pg connection.js:12',
        '(anonymous) libs/events outbox.js:9',
        'push node:internal/streams/readable readable:5',
      ],
    );
  });

  it('of a folder of this repository names the folder', () => {
    const count = new ProfileCount();
    sample('JS:*x /srv/services/messages/dist/accept/store.js:4:1').forEach((text) => count.line(text));
    assert.deepEqual(count.end().modules, [['services/messages/accept', 1]]);
  });
});

describe('figures that are kept', () => {
  const machine = { rsa2048_signatures_per_second: 1_300 };
  const about = {
    at: '2026-11-27T00:00:00.000Z',
    machine: { cpu: 'x' },
    versions: { postmesh: '1.2.3', postgres: {} },
  };
  const rounds = [300, 100, 200].map((rate) => ({
    messages_per_second: rate,
    cpu_us: { all: rate * 2 },
    machine,
  }));

  it('have the median round, and each round with the pace of the machine', () => {
    const speed = { systems: [{ name: 'this tree', loads: { burst: { rounds } } }] };
    const report = /** @type {any} */ ({ ...about, speed, relay: {} });
    assert.deepEqual(figuresOf(report), [
      {
        figure: 'speed, burst',
        unit: 'messages/s',
        system: 'this tree',
        value: 200,
        cpu_us: 400,
        rounds: [300, 100, 200].map((value) => ({ value, cpu_us: value * 2, machine })),
        at: about.at,
        machine: about.machine,
        versions: { postmesh: '1.2.3' },
      },
    ]);
  });

  it('add the CPU time of all programs of a system', () => {
    const cpu = { listmonk: 0.5, postgres: 0.25, postfix: 1 };
    const run = { name: 'listmonk', recipients_per_second: 900, cpu_seconds_per_1000: cpu, machine };
    const report = /** @type {any} */ ({ ...about, relay: {}, campaigns: { rounds: { listmonk: [run] } } });
    assert.deepEqual(figuresOf(report)[0]?.rounds, [{ value: 900, cpu_us: 1_750, machine }]);
  });
});

describe('systems that are not measured', { skip: process.platform !== 'linux' }, () => {
  const becomes = (pid, state) =>
    waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] === state, {
      limitMs: 10_000,
    });

  it('are stopped during the work of others, and continue when it has failed', async () => {
    const child = spawn('sleep', ['60']);
    try {
      const { pid } = child;
      const work = async () => {
        assert.ok(await becomes(pid, 'T'));
        throw new Error('failed');
      };
      await assert.rejects(whileFrozen([() => [pid]], work), /failed/);
      assert.ok(await becomes(pid, 'S'));
    } finally {
      child.kill('SIGKILL');
    }
  });
});
