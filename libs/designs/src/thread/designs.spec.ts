import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from '@postmesh/observability';
import type { DesignJob } from './design-job.js';
import { Designs, ownShare } from './designs.js';

const designs = new Designs(createLogger({ logLevel: 'silent' }, 'test'));
afterAll(() => designs.beforeApplicationShutdown());

const make = (job: DesignJob, account = 'an account') => designs.make(ownShare(account), job);
const html = (source: string) => make({ html: source, urls: 'expression-begins' });
const mjml = (source: string) => make({ mjml: source, urls: 'expression-begins', maxHtmlMiB: 4 });
const message = (made: Promise<unknown>): Promise<string> =>
  made.then(
    () => 'is made',
    (error: Error) => error.message,
  );
const document = (inside: string, head = '') =>
  `<mjml>${head}<mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;

describe('MJML', () => {
  it('is compiled, with template language unchanged', async () => {
    const made = await mjml(
      document(
        `<mj-text>Hello {{ name|default("you") }}, {% if a < 3 and b %}few{% endif %}</mj-text>
         <mj-raw>{% for item in items %}</mj-raw><mj-image src="{{ item.url }}" alt="Item" /><mj-raw>{% endfor %}</mj-raw>`,
        '<mj-head><mj-preview>Preview</mj-preview></mj-head>',
      ),
    );
    expect(made.html).toContain('Hello {{ name|default("you") }}, {% if a < 3 and b %}few{% endif %}');
    expect(made.html).toMatch(/\{% for item in items %}[^]*src="\{\{ item\.url }}"[^]*\{% endfor %}/);
    expect(made.text).toBe(
      'Hello {{ name|default("you") }}, {% if a < 3 and b %}few{% endif %}\n{% for item in items %}\nItem\n\n{% endfor %}',
    );
    expect((await mjml(document('<mj-text>Same</mj-text>'))).html).toBe(
      (await mjml(document('<mj-text>Same</mj-text>'))).html,
    );
  });

  it.each([
    ['no MJML', 'plain text', 'content.mjml line 1: text outside of mjml is dropped'],
    [
      'HTML',
      '<html><body>x</body></html>',
      "content.mjml line 1: Element html doesn't exist or is not registered",
    ],
    ['an empty document', '<mjml></mjml>', 'content.mjml line 1: Malformed MJML.'],
    [
      'a wrong place',
      '<mjml>\n<mj-body>\n<mj-text>x</mj-text></mj-body></mjml>',
      'content.mjml line 3: mj-text cannot be used inside mj-body',
    ],
    [
      'a wrong value',
      document('\n<mj-text color="7 days">x</mj-text>'),
      'content.mjml line 2: Attribute color has invalid value',
    ],
    [
      'tags of the language that would be lost',
      document('\n{% if a %}<mj-text>x</mj-text>{% endif %}'),
      'is dropped, put {{ and {% into mj-raw',
    ],
    [
      'an image without a URL',
      document('<mj-text>x</mj-text>\n<mj-image src="logo.png" />'),
      "content.mjml line 2: images and stylesheets need a full https:// URL or a {{ variable }}, not 'logo.png'",
    ],
    [
      'a background',
      document('<mj-text>x</mj-text>').replace(
        '<mj-section>',
        '<mj-section background-url="http://a.test/b.png">',
      ),
      "not 'http://a.test/b.png'",
    ],
    [
      'a stylesheet',
      document('<mj-text>x</mj-text>', '<mj-head><mj-style>@import "a.css";</mj-style></mj-head>'),
      "not 'a.css'",
    ],
  ])('is refused: %s', async (_, source, expected) => {
    expect(await message(mjml(source))).toContain(expected);
  });

  it('reports every problem', async () => {
    const problems = await message(mjml(document('\n<mj-a />\n<mj-b />\n<mj-text c="d">x</mj-text>')));
    expect(problems.split('; ').map((one) => one.slice(0, 19))).toEqual(
      ['content.mjml line 4', 'content.mjml line 2', 'content.mjml line 3'].sort(),
    );
    expect(await message(mjml(document('<mj-a />'.repeat(30))))).toMatch(/; and 10 more$/);
  });
});

/** Inlining compares each rule with each element: some seconds. */
const SLOW = `<mjml><mj-head><mj-style inline="inline">${Array.from(
  { length: 2_000 },
  (_, n) => `.a${n} .b${n} { color: red }`,
).join(
  '',
)}</mj-style></mj-head><mj-body>${'<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(1_000)}
</mj-body></mjml>`;

class Impatient extends Designs {
  protected override readonly maxMs = 300;
}

describe('hostile MJML', () => {
  it.each([
    ['a file', '<mj-include path="/etc/passwd" />'],
    ['a file beside it', '<mj-include path="./package.json" type="html" />'],
    ['a file in a style', '<mj-include path="a.css" type="css" css-inline="inline" />'],
    ['in upper case', '<MJ-INCLUDE path="package.json" />'],
    ['inside of text', '<mj-text><mj-include path="package.json" /></mj-text>'],
    ['inside of raw', '<mj-raw><mj-include path="package.json" /></mj-raw>'],
  ])('includes nothing: %s', async (_, source) => {
    expect(await message(mjml(document(source)))).toContain('mj-include is not supported');
  });

  it('a comment that names an include is a comment', async () => {
    const made = await mjml(document('<!-- <mj-include path="package.json" /> --><mj-text>x</mj-text>'));
    expect(made.html).not.toContain(
      JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')).name,
    );
  });

  it.each([
    ['elements', '<__proto__ polluted="yes">x</__proto__>'],
    ['elements of objects', '<constructor polluted="yes">x</constructor>'],
    ['attributes', '<mj-text __proto__="polluted">x</mj-text>'],
  ])('does not reach prototypes by %s', async (_, source) => {
    await message(mjml(document(source)));
    expect((await mjml(document('<mj-text>Hello</mj-text>'))).text).toBe('Hello');
  });

  it('does not reach prototypes by classes and default attributes', async () => {
    const head = `<mj-head><mj-attributes><mj-class name="__proto__" color="red" /><mj-class name="constructor" color="red" />
      <mj-all color="blue" /></mj-attributes><mj-html-attributes><mj-selector path="__proto__">
      <mj-html-attribute name="__proto__">x</mj-html-attribute></mj-selector></mj-html-attributes></mj-head>`;
    await message(mjml(document('<mj-text mj-class="__proto__ constructor">x</mj-text>', head)));
    const after = await mjml(document('<mj-text>Hello</mj-text>'));
    expect(after.html).not.toContain('red');
    expect(after.html).not.toContain('blue');
  });

  it.each([
    ['constructor', '<mj-text constructor="x">x</mj-text>', 'Attribute constructor is illegal'],
    ['toString', '<mj-text toString="x">x</mj-text>', 'Attribute toString is illegal'],
    ['__proto__', '<mj-text __proto__="x">x</mj-text>', 'Attribute __proto__ is illegal'],
    ['elements', '<constructor>x</constructor>', "Element constructor doesn't exist or is not registered"],
  ])('names of objects are no names of MJML: %s', async (_, source, problem) => {
    expect(await message(mjml(document(`\n${source}`)))).toContain(`content.mjml line 2: ${problem}`);
    // the author may write any HTML
    expect(await message(mjml(document('<mj-text><p constructor="x">x</p></mj-text>')))).toBe('is made');
  });

  it('has a bounded number of elements', async () => {
    expect(await message(mjml(document('<mj-text>x</mj-text>'.repeat(20_000))))).toBe(
      'content.mjml: it has too many elements',
    );
    expect(await message(html('<p>'.repeat(100_001).replaceAll('<p>', '<p></p>')))).toBe(
      'content.html: it has too many elements',
    );
  });

  it('deep nesting is rejected before it costs time', async () => {
    expect(await message(mjml('<mj-wrapper>'.repeat(80_000)))).toBe('content.mjml: it is nested too deeply');
    expect(await message(mjml(document(`<mj-text>${'<div>'.repeat(200_000)}</mj-text>`)))).toBe(
      'content.mjml: it is nested too deeply',
    );
    expect(await message(html('<table><tr><td>'.repeat(60_000)))).toBe(
      'content.html: it is nested too deeply',
    );
  });

  it('MJML that compiles to too much HTML is rejected', async () => {
    const table = `<mj-table>${'<tr><td>cell</td></tr>'.repeat(9_000)}</mj-table>`;
    expect((await mjml(document(table))).html.length).toBeGreaterThan(190_000);
    const sections = '<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(2_800);
    expect(await message(mjml(`<mjml><mj-body>${sections}</mj-body></mjml>`))).toMatch(
      /^content\.mjml: it (makes more than 4 MiB of HTML|is too complex)$/,
    );
  });

  it('a design that takes too long is ended, and the next one is made', async () => {
    const impatient = new Impatient(createLogger({ logLevel: 'silent' }, 'test'));
    const make = (job: DesignJob) => impatient.make(ownShare('an account'), job);
    await make({ html: '<p>Ready</p>', urls: null });
    const [slow, next] = await Promise.all([
      message(make({ mjml: SLOW, urls: 'expression-begins', maxHtmlMiB: 4 })),
      make({ html: '<p>Next</p>', urls: null }),
    ]);
    expect(slow).toBe('content.mjml: it is too complex');
    expect(next.text).toBe('Next');
    await impatient.beforeApplicationShutdown();
  });
});

describe('hostile HTML', () => {
  it.each([
    ['open braces', '{{'.repeat(500_000)],
    ['open tags of the language', '{% '.repeat(300_000)],
    ['open quotes of styles', `<style>${'url("'.repeat(200_000)}</style>`],
    ['open comments', '<!--'.repeat(250_000)],
    ['entities', '&amp;'.repeat(200_000)],
    ['attributes', `<p ${'a=b '.repeat(250_000)}>`],
    ['unclosed attributes', `<p a="${'x'.repeat(1_000_000)}`],
    ['placeholders of ours', '\uE0000\uE001'.repeat(100_000)],
  ])('is read in bounded time: %s', async (_, source) => {
    expect(await message(html(source))).toMatch(/^(is made|content\.html)/);
  });
});

describe('URLs of images and stylesheets', () => {
  it.each([
    '<img src="https://a.test/b.png">',
    '<img src="{{ image }}">',
    '<img src="{{ image|default("https://a.test/b.png") }}">',
    '<img src=" {{ base }}/b.png ">',
    '<img src="HTTPS://a.test/b.png" srcset="https://a.test/b.png 1x, https://a.test/c.png 2x">',
    '<img srcset="{{ set }}">',
    '<p style="background:url(\'https://a.test/b.png\')">',
    '<svg><use href="#a" /></svg><p style="fill:url(#a)">',
    '<link rel="stylesheet" href="https://a.test/b.css">',
    '<style>@import url("https://a.test/b.css"); p { background: url({{ image }}) }</style>',
    '<a href="http://a.test">http is for links</a><a href="cid:x">or anything</a>',
  ])('passes %s', async (source) => {
    expect(await message(html(source))).toBe('is made');
  });

  it.each([
    ['<p>\n<img src="http://a.test/b.png">', 2, 'http://a.test/b.png'],
    ['<img src="//a.test/b.png">', 1, '//a.test/b.png'],
    ['<img src="b.png">', 1, 'b.png'],
    ['<img src="">', 1, ''],
    ['<img src="cid:logo">', 1, 'cid:logo'],
    ['<img src="data:image/png;base64,AAAA">', 1, 'data:image/png;base64,AAAA'],
    ['<img src="&#104;ttp://a.test/b.png">', 1, 'http://a.test/b.png'],
    ['<img src=\'{{ a|default("b") }\'>', 1, '{{ a|default("b") }'],
    ['<img src="{% if a %}https://a.test{% endif %}">', 1, '{% if a %}https://a.test{% endif %}'],
    ['<img src="https://">', 1, 'https://'],
    ['<img srcset="https://a.test/b.png 1x, c.png 2x">', 1, 'c.png'],
    ['\n\n<td background="b.png">', 3, 'b.png'],
    ['<p style="background:url(b.png)">', 1, 'b.png'],
    ['<style>\n@import "a.css";</style>', 1, 'a.css'],
    ['<LINK REL=stylesheet HREF=a.css>', 1, 'a.css'],
    ['<video poster="a.png">', 1, 'a.png'],
    ['<input type="image" src="a.png">', 1, 'a.png'],
  ])('refuses %s', async (source, line, url) => {
    expect(await message(html(source))).toBe(
      `content.html line ${line}: images and stylesheets need a full https:// URL or a {{ variable }}, not '${url}'`,
    );
  });
});

describe('the text of HTML', () => {
  it.each([
    ['<h1>Hi {{ name }}</h1><p>One<br>two</p>', 'Hi {{ name }}\n\nOne\ntwo'],
    ['<a href="https://a.test/?a=1&amp;b=2">Open</a>', 'Open (https://a.test/?a=1&b=2)'],
    ['<a href="{{ url }}">{{ url }}</a>', '{{ url }}'],
    ['<a href="{{ url }}">Here</a>', 'Here ({{ url }})'],
    ['<img src="https://a.test/b.png" alt="Logo">', 'Logo'],
    ['<ul><li>a</li><li>b</li></ul>', '* a\n * b'],
    ['<table><tr><td>Cup</td><td>5 €</td></tr><tr><td>Pot</td><td>7 €</td></tr></table>', 'Cup 5 €\nPot 7 €'],
    [
      '<p>{% if a < b %}x{% else %}y{% endif %}{# why <b> #}</p>',
      '{% if a < b %}x{% else %}y{% endif %}{# why <b> #}',
    ],
    ['<p>{{ a|default("<b>") }} &lt;3</p>', '{{ a|default("<b>") }} <3'],
    ['<div style="display:none">Preview</div><p>Body</p>', 'Body'],
    [
      '<html><head><title>Title</title><style>p{}</style></head><body>Body<script>1</script></body></html>',
      'Body',
    ],
    ['<p>an {{ open brace</p>', 'an {{ open brace'],
    ['<img src="https://a.test/b.png">', ''],
  ])('%s', async (source, text) => {
    expect((await html(source)).text).toBe(text);
  });
});

describe('accounts', () => {
  it('are served round-robin, with a limit of waiting jobs for each', async () => {
    const order: string[] = [];
    const ask = (account: string) =>
      make({ html: '<p>x</p>', urls: 'expression-begins' }, account).then(
        () => order.push(account),
        (error: Error) => order.push(`${account}: ${error.message}`),
      );
    const busy = Array.from({ length: 36 }, () => ask('busy'));
    await Promise.all([...busy, ask('other')]);
    expect(order.slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => 'busy: too many designs wait to be compiled'),
    );
    expect(order.indexOf('other')).toBeLessThan(6);
    expect(order.filter((one) => one === 'busy')).toHaveLength(33);
  });
  it('with slow designs delay no others, and aborted designs are dropped', async () => {
    const victims = async () => {
      const times: number[] = [];
      for (let n = 0; n < 20; n++) {
        const begin = performance.now();
        await make({ mjml: document('<mj-text>x</mj-text>'), urls: 'expression-begins', maxHtmlMiB: 4 }, 'v');
        times.push(performance.now() - begin);
      }
      return Math.max(...times);
    };
    const baseline = await victims();
    const [gone, reason] = [new AbortController(), new Error('the client is gone')];
    const attack = ['a', 'b', 'c', 'd'].map((key) =>
      designs
        .make(
          { family: 'attacker', key, signal: gone.signal },
          { mjml: SLOW, urls: 'expression-begins', maxHtmlMiB: 4 },
        )
        .catch((error: unknown) => error),
    );
    // the second thread has started
    await make({ html: '<p>x</p>', urls: null }, 'v');
    const beside = await victims();
    gone.abort(reason);
    console.info(`victim beside ${beside.toFixed(0)} ms, alone ${baseline.toFixed(0)} ms`);
    expect(beside).toBeLessThan(2 * baseline + 1_000);
    expect(await Promise.all(attack)).toEqual([reason, reason, reason, reason]);
    expect((await make({ html: '<p>Next</p>', urls: null }, 'attacker')).text).toBe('Next');
  });
});
