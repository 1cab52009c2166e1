import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import { AllowList } from '../mcp/allow-list.mjs';
import { askPerson } from '../mcp/approval.mjs';
import { PreparedSends } from '../mcp/prepared-sends.mjs';
import { SendBudget } from '../mcp/send-budget.mjs';
import { requestOf } from '../mcp/send-tools.mjs';
import { dataResult, LongText, MAX_CONTENT } from '../mcp/tool-result.mjs';
import { readSettings } from '../operator-cli/mcp-command.mjs';
import { OperatorTrouble } from '../operator-cli/requests.mjs';

const ACCOUNT = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const folder = mkdtempSync(join(tmpdir(), 'postmesh-mcp-'));
after(() => rmSync(folder, { recursive: true }));

let folders = 0;
const freshFolder = () => join(folder, String((folders += 1)));

/** @param {object} [more] */
const budgetOf = (more = {}) =>
  new SendBudget({ folder: freshFolder(), accountId: ACCOUNT, perRun: 5, perDay: 8, ...more });

describe('the allow list', () => {
  const list = new AllowList(['Ann@Example.com', 'test.example.org', 'bücher.example']);

  it('has addresses in any letter case, and domains', () => {
    assert.equal(list.allowed('ann@EXAMPLE.com'), 'ann@example.com');
    assert.equal(list.allowed('any.one+tag@test.example.org'), 'any.one+tag@test.example.org');
    assert.equal(list.allowed('a@xn--bcher-kva.example'), 'a@xn--bcher-kva.example');
    assert.equal(list.allowed('a@BÜCHER.example'), 'a@xn--bcher-kva.example');
  });

  for (const address of [
    'ben@example.com',
    'ann+x@example.com',
    'a@example.org',
    'a@sub.test.example.org',
    'a@test.example.org.evil.example',
    'test.example.org',
    'a@evil.example,b@test.example.org',
    'a@evil.example b@test.example.org',
    '"a@evil.example,"@test.example.org',
    'a@evil.example\n@test.example.org',
    'Ann <a@evil.example> a@test.example.org',
    '<a@test.example.org>',
    '@test.example.org',
    'a(b)@test.example.org',
    'a@evil.example%@test.example.org',
    '\u212Ann@example.com',
    'a@test.example.org\u0000.evil.example',
    'a@',
    '',
  ])
    it(`does not have ${JSON.stringify(address)}`, () => {
      assert.throws(() => list.allowed(address), OperatorTrouble);
    });

  for (const entry of ['*', '*.example.com', '', '@example.com', 'com', 'a b.example', 'a@*'])
    it(`is not made of ${JSON.stringify(entry)}`, () => {
      assert.throws(() => new AllowList([entry]), OperatorTrouble);
    });
});

describe('the budget', () => {
  it('ends with the messages of a run, and with those of a day over all runs', () => {
    const at = freshFolder();
    const [first, second] = [budgetOf({ folder: at }), budgetOf({ folder: at })];
    first.reserve('a', 5);
    assert.throws(() => first.reserve('b', 1), /0 of 5 messages are left in this run, 3 of 8 today/);
    second.reserve('c', 3);
    assert.throws(() => second.reserve('d', 1), /2 of 5 messages are left in this run, 0 of 8 today/);
    assert.deepEqual(budgetOf({ folder: at }).left, { run: 5, day: 0 });
  });

  it('counts a send once, and gives back one that did not happen', () => {
    const budget = budgetOf();
    for (let at = 0; at < 3; at += 1) budget.reserve('a', 4);
    assert.deepEqual(budget.left, { run: 1, day: 4 });
    budget.release('a');
    budget.release('a');
    assert.deepEqual(budget.left, { run: 5, day: 8 });
  });

  it('is the same for runs with other limits', () => {
    const at = freshFolder();
    const [large, small] = [
      budgetOf({ folder: at, perRun: 100, perDay: 50 }),
      budgetOf({ folder: at, perDay: 8 }),
    ];
    large.reserve('a', 20);
    assert.deepEqual([large.left.day, small.left.day], [30, 0]);
    assert.throws(() => small.reserve('b', 1), OperatorTrouble);
  });

  it('begins anew with the next day, and removes the files of days before', () => {
    const at = freshFolder();
    let now = new Date('2026-03-01T23:59:59Z');
    const budget = budgetOf({ folder: at, perRun: 100, now: () => now });
    budget.reserve('a', 8);
    now = new Date('2026-03-02T00:00:00Z');
    budget.reserve('b', 8);
    budgetOf({ folder: at, now: () => now });
    assert.deepEqual(readdirSync(at), [`mcp-sends-${ACCOUNT}-2026-03-02.jsonl`]);
  });

  it('is in a file that its owner alone reads, and ends when the file is damaged', () => {
    const at = freshFolder();
    const budget = budgetOf({ folder: at });
    budget.reserve('a', 1);
    const [name] = readdirSync(at);
    assert.equal(statSync(join(at, name)).mode & 0o777, 0o600);
    assert.equal(statSync(at).mode & 0o777, 0o700);
    writeFileSync(join(at, name), '{"id":');
    assert.throws(() => budget.reserve('b', 1), /cannot be read .*: nothing is sent/);
  });
});

describe('a prepared message', () => {
  const MESSAGE = {
    path: '/messages',
    body: { recipients: [{ email: 'a@b.test' }, { email: 'c@b.test' }] },
    preview: 'so',
  };

  /** @param {object} more */
  const sendsOf = (more) =>
    new PreparedSends({ budget: budgetOf(), approve: async () => true, post: async () => ({}), ...more });

  it('is sent once with one key, also when two calls come together', async () => {
    const keys = [];
    const sends = sendsOf({ post: async (path, body, key) => ({ sent: keys.push([path, body, key]) }) });
    const { id } = sends.prepare(MESSAGE);
    const results = await Promise.all([sends.send(id), sends.send(id)]);
    assert.deepEqual([...results, await sends.send(id)], [{ sent: 1 }, { sent: 1 }, { sent: 1 }]);
    assert.deepEqual(keys, [['/messages', MESSAGE.body, `mcp-${id}`]]);
    assert.deepEqual(sends.budget.left, { run: 3, day: 6 });
  });

  it('is repeated with its key and without another approval after an error that says nothing', async () => {
    /** @type {string[]} */
    const keys = [];
    /** @type {string[]} */
    const asked = [];
    const sends = sendsOf({
      approve: async (preview) => asked.push(preview) > 0,
      post: async (_, __, key) => {
        if (keys.push(key) === 1) throw new OperatorTrouble('no response');
        return { ok: true };
      },
    });
    const { id } = sends.prepare(MESSAGE);
    await assert.rejects(sends.send(id), /no response/);
    assert.deepEqual(await sends.send(id), { ok: true });
    assert.deepEqual([keys, asked], [[`mcp-${id}`, `mcp-${id}`], ['so']]);
    assert.deepEqual(sends.budget.left, { run: 3, day: 6 });
  });

  it('gives its budget back when the API refuses it', async () => {
    const sends = sendsOf({
      post: () => Promise.reject(Object.assign(new OperatorTrouble('POST: 400 bad'), { status: 400 })),
    });
    await assert.rejects(sends.send(sends.prepare(MESSAGE).id), /400 bad/);
    assert.deepEqual(sends.budget.left, { run: 5, day: 8 });
  });

  it('is forgotten when the person declines, after 15 minutes, and with the 20th after it', async () => {
    let now = 0;
    const sends = sendsOf({ approve: async () => false, now: () => now });
    const declined = sends.prepare(MESSAGE);
    await assert.rejects(sends.send(declined.id), /did not approve/);
    await assert.rejects(sends.send(declined.id), /no message was prepared/);
    const [first, second] = [sends.prepare(MESSAGE), sends.prepare(MESSAGE)];
    for (let at = 0; at < 19; at += 1) sends.prepare(MESSAGE);
    await assert.rejects(sends.send(first.id), /no message was prepared/);
    await assert.rejects(sends.send(second.id), /did not approve/);
    const last = sends.prepare(MESSAGE);
    now = 900_000;
    await assert.rejects(sends.send(last.id), /no message was prepared/);
  });

  it('goes to allowed recipients alone, each once, and is whole', () => {
    const list = new AllowList(['b.test']);
    const input = { from: 'x@shop.test', to: ['a@b.test', 'a@B.test'], subject: 'Hi', text: 'There' };
    assert.deepEqual(requestOf(input, list), {
      path: '/messages',
      body: {
        from: { email: 'x@shop.test' },
        recipients: [{ email: 'a@b.test' }],
        subject: 'Hi',
        text_content: 'There',
      },
    });
    assert.throws(
      () => requestOf({ ...input, to: ['a@b.test', 'a@c.test'] }, list),
      /a@c.test is not on the list/,
    );
    for (const wrong of [
      { text: undefined },
      { subject: undefined },
      { template_id: ACCOUNT },
      { substitutions: { a: 1 } },
    ])
      assert.throws(() => requestOf({ ...input, ...wrong }, list), OperatorTrouble);
  });
});

describe('the approval on the terminal', () => {
  for (const [answer, approved] of [
    ['yes\n', true],
    ['YES \n', true],
    ['y\n', false],
    ['\n', false],
    ['no\n', false],
  ])
    it(`takes ${JSON.stringify(answer)} as ${approved}`, async () => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const asked = askPerson({ input, output }, 'To: a@b.test');
      input.write(answer);
      assert.equal(await asked, approved);
      assert.match(String(output.read()), /To: a@b\.test[^]*Send this message/);
    });
});

describe('results', () => {
  const textOf = (data) => dataResult(data).content[0].text;

  it('are between marks that a text in them cannot close', () => {
    const [first, second] = [textOf({ subject: 'x' }), textOf({ subject: 'x' })];
    const [, mark = 'none'] = /^<(untrusted-data-[0-9a-f]{16})>$/m.exec(first) ?? [];
    assert.ok(first.endsWith(`\n</${mark}>`));
    assert.ok(!second.includes(mark));
  });

  it('are bounded, and have no characters that a person does not see', () => {
    const hidden = String.fromCodePoint(0xe0041, 0x202e, 0x200b, 0x1b);
    const text = textOf({
      subject: `a${hidden}b`,
      long: 'x'.repeat(3_000),
      content: new LongText('y'.repeat(MAX_CONTENT + 7)),
      rows: Array.from({ length: 150 }, (_, at) => at),
    });
    assert.ok(text.includes('"ab"'));
    assert.ok(text.includes(`${'x'.repeat(2_000)}… (1000 more characters)`));
    assert.ok(text.includes(`${'y'.repeat(MAX_CONTENT)}… (7 more characters)`));
    assert.ok(text.includes('… 50 more'));
    assert.ok(textOf({ rows: Array.from({ length: 100 }, () => 'z'.repeat(2_000)) }).length < 61_000);
  });
});

describe('the settings of npx postmesh mcp', () => {
  const ENV = { POSTMESH_BASE_URL: 'https://mail.test', POSTMESH_API_KEY: 'k', POSTMESH_ACCOUNT_ID: ACCOUNT };

  it('come from the environment and the options', () => {
    const { api, approve, perRun, perDay, hasContents } = readSettings({ 'per-day': '7' }, ENV);
    assert.deepEqual(
      { api, approve, perRun, perDay, hasContents },
      {
        api: { url: 'https://mail.test', token: 'k' },
        approve: 'client',
        perRun: 20,
        perDay: 7,
        hasContents: false,
      },
    );
  });

  for (const [options, env] of [
    [{}, { POSTMESH_API_KEY: '' }],
    [{}, { POSTMESH_BASE_URL: 'mail.test' }],
    [{}, { POSTMESH_ACCOUNT_ID: '../x' }],
    [{ approve: 'never' }, {}],
    [{ 'per-run': '-1' }, {}],
    [{ 'per-day': '10001' }, {}],
  ])
    it(`are refused with ${JSON.stringify({ ...options, ...env })}`, () => {
      assert.throws(() => readSettings(options, { ...ENV, ...env }), OperatorTrouble);
    });
});
