import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { RendererBusy, type RenderJob, TemplateRenderer } from '../index.js';
import type { RendererOptions } from './template-renderer.js';
import { THREAD_LIMITS } from './render-thread.js';

const renderers: TemplateRenderer[] = [];
afterEach(() => Promise.all(renderers.splice(0).map((renderer) => renderer.close())));

function open(options?: RendererOptions): TemplateRenderer {
  const renderer = new TemplateRenderer(options);
  renderers.push(renderer);
  return renderer;
}

const text = (source: string, name = 'text') => ({ name, source, escape: false });
const numbers = (length: number) => Array.from({ length }, (_item, n) => ({ n }));
/** An account without sub-accounts. */
const of = (account: string) => ({ family: account, key: account });
const job = (source: string, count: number, account = 'account'): RenderJob => ({
  ...of(account),
  parts: [text(source)],
  values: numbers(count),
});

/** Some milliseconds for each recipient. */
const HEAVY = '{% for x in range(30000) %}{% endfor %}{{ n }}';
/** Only n = 2 does not end. */
const ENDLESS = `{% if n == 2 %}${'{% for x in range(100000) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}{% endif %}{{ n }}`;
/** Only n = 2 exhausts the memory. */
const GREEDY = `{% if n == 2 %}{% for x in range(100000) %}{% set a = [a, range(1000)] %}{% endfor %}{% endif %}{{ n }}`;
const UNLIMITED = {
  ...THREAD_LIMITS,
  hangMs: 60_000,
  loopSteps: Infinity,
  madeUnits: Infinity,
  ms: Infinity,
};

describe('the renderer', () => {
  it('renders each part for each recipient, in their order', async () => {
    const results = await open().render({
      ...of('account'),
      parts: [
        text('Order {{ n }}', 'subject'),
        { name: 'html', source: '<b>{{ n }}{{ s }}</b>', escape: true },
        text('plain'),
      ],
      values: numbers(60).map(({ n }) => ({ n, s: '<' })),
    });
    expect(results).toHaveLength(60);
    results.forEach((result, n) => {
      const texts = [`Order ${n}`, `<b>${n}&lt;</b>`, 'plain'];
      expect(result).toEqual({ ok: true, texts, sizes: texts.map(({ length }) => length) });
    });
  });

  it('spec 3-marketing §5.2: compiles a campaign once per thread, with other jobs in between and for any number of recipients', async () => {
    const renderer = open();
    // the largest allowed, several at once, one job per recipient as delivery does
    const large = (campaign: string) => [
      text(`${campaign} {{ n }}`, 'subject'),
      {
        name: 'html',
        source: `${campaign}{{ n }}${'<p>{{ name }}</p>'.padEnd(1_000)}`.repeat(1_000),
        escape: true,
      },
      text(`${campaign} {{ n }} ${'x'.repeat(250_000)}`),
    ];
    const campaigns = ['one', 'two', 'three', 'four'].map((name) => ({ name, parts: large(name) }));
    for (let n = 0; n < 10; n++) {
      const given = campaigns.map(({ name, parts }) =>
        renderer.render({ ...of(name), parts, values: [{ n }] }),
      );
      await Promise.all([...given, renderer.render(job(`a message to one: ${n} {{ n }}`, 1))]);
    }
    await renderer.render({ ...of('one'), parts: campaigns[0]!.parts, values: numbers(100) });
    // by each thread
    expect(renderer.compiled).toBeLessThanOrEqual(2 * 4 * 3 + 10);
  });

  it('spec 3-marketing §5.2: applies the lower limits of a job', async () => {
    const parts = [text('{% for x in range(n) %}{% if big %}0123456789{% endif %}{% endfor %}')];
    const limits = { loopSteps: 10_000, outputBytes: 20_000 };
    const values = [{ n: 10_000 }, { n: 10_001 }, { n: 2_000, big: true }, { n: 2_001, big: true }];
    expect(await open().render({ ...of('a'), parts, values, limits })).toMatchObject([
      { ok: true },
      { ok: false, reason: expect.stringContaining('10000 loop steps') as string },
      { ok: true },
      { ok: false, reason: expect.stringContaining('larger') as string },
    ]);
    expect(await open().render({ ...of('a'), parts, values })).toMatchObject(
      values.map(() => ({ ok: true })),
    );
  });

  it('spec 3-marketing §5.4 rule 2: escapes plain text that becomes HTML, with its values, but for `|safe`', async () => {
    const part = { name: 'preheader', source: 'A & {{ v }} {{ v|safe }}', escape: 'all' as const };
    expect(await open().render({ ...of('a'), parts: [part], values: [{ v: '<b>' }] })).toMatchObject([
      { ok: true, texts: ['A &amp; &lt;b&gt; <b>'] },
    ]);
  });

  it('spec 3-marketing §5.2: fails all recipients of a template that is too slow for some', async () => {
    const renderer = open({ limits: { ...UNLIMITED, ms: 50 } });
    const limits = { loopSteps: 1_000_000_000, outputBytes: 20_000 };
    const loops = `${'{% for x in range(100000) %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`;
    const parts = [text(`{% if n > 1 %}${loops}{% endif %}`)];
    const results = await renderer.render({ ...of('a'), parts, values: numbers(50), limits });
    expect(results.map(({ ok }) => ok)).toEqual(numbers(50).map(({ n }) => n < 2));
    expect(results.at(-1)).toMatchObject({ slow: true });
  });

  it('returns only the size of a measured part', async () => {
    const parts = [{ ...text('{{ n }}é'), measured: true }, text('{{ n }}')];
    expect(await open().render({ ...of('a'), parts, values: numbers(1) })).toEqual([
      { ok: true, texts: ['', '0'], sizes: [3, 1] },
    ]);
  });

  it('fails the recipients whose values fail a part, and names the part', async () => {
    const parts = [text('x'), text('a\n{% for x in n %}{% endfor %}', 'html')];
    const values = [{ n: [1] }, { n: 1 }, {}];
    expect(await open().render({ ...of('a'), parts, values })).toEqual([
      { ok: true, texts: ['x', 'a\n'], sizes: [1, 2] },
      { ok: false, part: 'html', reason: 'line 2: a number has no items' },
      { ok: true, texts: ['x', 'a\n'], sizes: [1, 2] },
    ]);
  });

  it('fails all recipients of a template that cannot be parsed', async () => {
    const results = await open().render(job('\n{{ n', 2));
    expect(results).toEqual(
      Array.from({ length: 2 }, () => ({ ok: false, part: 'text', reason: 'line 2: {{ is not closed' })),
    );
  });

  it('fails the recipient whose values are not JSON', async () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const values = [{ n: 1 }, { n: 2, deep }, { n: 3, big: 1n }, { n: 4 }];
    const results = await open().render({ ...of('a'), parts: [text('{{ n }}')], values });
    expect(results.map((result) => (result.ok ? result.texts[0] : result.reason))).toEqual([
      '1',
      'the object of values is nested too deeply',
      'the object of values is no JSON',
      '4',
    ]);
  });

  it('marks a slow result as worth a retry', async () => {
    const renderer = open({ limits: { ...THREAD_LIMITS, ms: -1 } });
    expect(await renderer.render(job('{% for x in range(99999) %}{% endfor %}', 1))).toEqual([
      { ok: false, part: 'text', reason: 'line 1: rendering takes longer than -0.001 s', slow: true },
    ]);
  });

  it('returns no result for no recipients', async () => {
    expect(await open().render(job('{{ n }}', 0))).toEqual([]);
  });

  it('leaves the event loop free while a hundred recipients are rendered', async () => {
    const events: string[] = [];
    const rendering = open()
      .render(job(HEAVY, 100))
      .then((results) => events.push(`rendered ${results.length}`));
    for (let turns = 0; turns < 100; turns++) await turn();
    events.push('a hundred turns');
    await rendering;
    expect(events).toEqual(['a hundred turns', 'rendered 100']);
  });

  it('renders a single recipient of another account before a hundred heavy ones', async () => {
    const renderer = open();
    const events: string[] = [];
    const note = (what: string) => () => events.push(what);
    await Promise.all([
      renderer.render(job(HEAVY, 100, 'big')).then(note('big')),
      renderer.render(job(HEAVY, 100, 'big')).then(note('big again')),
      renderer.render(job('{{ n }}', 1, 'small')).then(note('small')),
      renderer.render(job('{{ n }}', 1, 'other')).then(note('other')),
    ]);
    // threads take the two small ones at once
    expect(events.slice(0, 2).toSorted()).toEqual(['other', 'small']);
    expect(events.slice(2)).toEqual(['big', 'big again']);
  });

  it('leaves a thread to other accounts, whatever an account and its sub-accounts have started', async () => {
    const renderer = open({ limits: UNLIMITED });
    const family = ['parent', 'child'].map((key) =>
      renderer.render({ ...job(ENDLESS, 3), family: 'parent', key }).catch((error: Error) => error.message),
    );
    expect(await renderer.render(job('{{ n }}', 1))).toEqual([{ ok: true, texts: ['0'], sizes: [1] }]);
    await renderer.close();
    expect(await Promise.all(family)).toEqual(['the renderer is closed', 'the renderer is closed']);
  });

  it('an account with eight sub-accounts at their limits delays no other account', async () => {
    const renderer = open();
    const victims = async () => {
      const times: number[] = [];
      for (let n = 0; n < 20; n++) {
        const begin = performance.now();
        await renderer.render({ ...job('{% for x in range(2000) %}{{ n }}{% endfor %}', 2, 'victim') });
        times.push(performance.now() - begin);
      }
      return Math.max(...times);
    };
    const baseline = await victims();
    const gone = new AbortController();
    const attack = Array.from({ length: 8 }, (_, n) =>
      renderer
        .render({ ...job(HEAVY.repeat(20), 100), family: 'attacker', key: `sub ${n}`, signal: gone.signal })
        .catch((error: Error) => error.message),
    );
    const beside = await victims();
    gone.abort(new Error('nobody waits'));
    console.info(`victim beside ${beside.toFixed(0)} ms, alone ${baseline.toFixed(0)} ms`);
    expect(beside).toBeLessThan(2 * baseline + 1_000);
    // all were in flight or waiting until the end, and are aborted with it
    expect(await Promise.all(attack)).toEqual(attack.map(() => 'nobody waits'));
  });

  it('drops aborted jobs, waiting ones and running ones', async () => {
    const renderer = open();
    const gone = new AbortController();
    const reason = new Error('the client is gone');
    const jobs = [job(HEAVY, 100, 'a'), job(HEAVY, 100, 'a')].map((one) =>
      renderer.render({ ...one, signal: gone.signal }).catch((error: unknown) => error),
    );
    await renderer.render(job('{{ n }}', 1, 'other'));
    gone.abort(reason);
    expect(await Promise.all(jobs)).toEqual([reason, reason]);
    await expect(renderer.render({ ...job('{{ n }}', 1), signal: gone.signal })).rejects.toBe(reason);
    expect(await renderer.render(job('{{ n }}', 1, 'a'))).toHaveLength(1);
  });
});

describe('a lost thread', () => {
  const outcomes = async (renderer: TemplateRenderer, source: string) =>
    (await renderer.render(job(source, 5))).map((result) =>
      result.ok ? result.texts[0] : `${result.part}: ${result.reason}${result.slow ? ' (slow)' : ''}`,
    );

  it('that hangs fails its recipient only', async () => {
    const renderer = open({ limits: { ...UNLIMITED, hangMs: 1_000 } });
    const others = renderer.render(job('{{ n }}', 1, 'other'));
    expect(await outcomes(renderer, ENDLESS)).toEqual([
      '0',
      '1',
      'text: rendering does not end (slow)',
      '3',
      '4',
    ]);
    expect(await others).toHaveLength(1);
    expect(await renderer.render(job('{{ n }}', 1))).toHaveLength(1);
  });

  it('that needs too much memory fails its recipient only', async () => {
    const renderer = open({ limits: { ...UNLIMITED, heapMb: 32 } });
    expect(await outcomes(renderer, GREEDY)).toEqual([
      '0',
      '1',
      'text: rendering needs too much memory (slow)',
      '3',
      '4',
    ]);
  });
});

describe('the bounds of the renderer', () => {
  it('limit waiting jobs, with a lower limit for one account', async () => {
    const renderer = open({ threads: 1, maxPending: 8, limits: UNLIMITED });
    const settled: Promise<unknown>[] = [];
    const add = (key: string) => {
      const rendering = renderer.render(job(ENDLESS, 3, key));
      settled.push(rendering.catch((error: Error) => error.constructor));
      return rendering;
    };
    // the first is in a thread, two wait
    for (let jobs = 0; jobs < 3; jobs++) void add('a').catch(() => undefined);
    await expect(add('a')).rejects.toThrow(RendererBusy);
    // other keys of its family have the other half of the family's share
    for (const key of ['sub', 'a campaigns']) {
      const one = renderer.render({ ...job(ENDLESS, 3), family: 'a', key });
      settled.push(one.catch((error: Error) => error.constructor));
    }
    await expect(renderer.render({ ...job(ENDLESS, 3), family: 'a', key: 'other' })).rejects.toThrow(
      RendererBusy,
    );
    for (const key of ['b', 'b', 'c', 'c']) void add(key).catch(() => undefined);
    await expect(add('e')).rejects.toThrow('too much is waiting to be rendered');
    await renderer.close();
    expect((await Promise.all(settled)).filter((failure) => failure === RendererBusy)).toHaveLength(2);
  });

  it('include its lifetime: on close, waiting and running jobs fail, and none starts', async () => {
    const renderer = open({ threads: 1, limits: UNLIMITED });
    const inFlight = renderer.render(job(ENDLESS, 3));
    const waiting = renderer.render(job('{{ n }}', 1, 'other'));
    const ends = Promise.allSettled([inFlight, waiting]);
    await renderer.close();
    await renderer.close();
    expect(await ends).toMatchObject([
      { status: 'rejected', reason: { message: 'the renderer is closed' } },
      { status: 'rejected', reason: { message: 'the renderer is closed' } },
    ]);
    await expect(renderer.render(job('{{ n }}', 1))).rejects.toThrow('the renderer is closed');
  });
});
