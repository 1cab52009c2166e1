import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from '@postmesh/observability';
import { CAMPAIGN_CONTENT } from '../content/content-policy.js';
import { Designs, ownShare } from '../thread/designs.js';
import type { DesignJob } from '../thread/design-job.js';
import { BlockDesign, blockDesignOf, type Block } from './blocks.schema.js';
import { htmlOfBlocks } from './html-of-blocks.js';
import { htmlOfMarkup } from './inline-markup.rules.js';
import { inkOn, mjmlOfBlocks } from './mjml-of-blocks.rules.js';

const designs = new Designs(createLogger({ logLevel: 'silent' }, 'test'));
afterAll(() => designs.beforeApplicationShutdown());

const style = { accent: '#2563eb', background: '#f3f4f6', font: 'sans' } as const;
const designOf = (...blocks: Block[]): BlockDesign => ({ version: 1, style, blocks });
const make = (job: DesignJob) => designs.make(ownShare('an account'), job);
const htmlOf = (...blocks: Block[]) => htmlOfBlocks(designOf(...blocks), { policy: CAMPAIGN_CONTENT, make });

const EVERY: Block[] = [
  { kind: 'heading', text: 'Tom & "Ann" <3', size: 'large', align: 'center' },
  { kind: 'text', text: 'Hello {{ name|default("you") }},\nsecond line\n\n**Bold**', align: 'left' },
  { kind: 'button', label: 'Open', url: 'https://shop.test/?a=1&b="2"', align: 'center' },
  { kind: 'image', url: 'https://shop.test/a.png', alt: 'A "picture"', link: '{{ url }}', width: 'half' },
  {
    kind: 'image',
    url: '{{ picture|default("https://shop.test/b.png") }}',
    alt: '',
    link: '',
    width: 'full',
  },
  { kind: 'divider' },
  { kind: 'space', size: 'large' },
  { kind: 'footer', text: '[Unsubscribe]({{ unsubscribe_url }})' },
];

describe('a design of blocks', () => {
  it('of every kind is compiled, with template language unchanged and text escaped', async () => {
    const html = await htmlOf(...EVERY);
    for (const part of [
      'Tom &amp; &quot;Ann&quot; &lt;3</h1>',
      'Hello {{ name|default("you") }},<br />second line</p>',
      '<strong>Bold</strong>',
      'href="https://shop.test/?a=1&amp;b=&quot;2&quot;"',
      'alt="A &quot;picture&quot;"',
      `src="{{ picture|default('https://shop.test/b.png') }}"`,
      'href="{{ unsubscribe_url }}"',
      'prefers-color-scheme: dark',
      '<meta name="color-scheme" content="light dark"',
    ])
      expect(html).toContain(part);
    // no font of another host
    expect(html).not.toContain('googleapis');
  });

  it('leaves out blocks that are not filled in', () => {
    const unfilled: Block[] = [
      { kind: 'heading', text: ' ', size: 'large', align: 'left' },
      { kind: 'text', text: '\n', align: 'left' },
      { kind: 'button', label: 'Open', url: '', align: 'left' },
      { kind: 'image', url: '', alt: 'x', link: '', width: 'full' },
      { kind: 'footer', text: '' },
    ];
    expect(mjmlOfBlocks(designOf(...unfilled))).toBe(mjmlOfBlocks(designOf()));
  });

  it('without a block is an empty message', async () => expect(await htmlOf()).toContain('<body'));

  it.each<[string, object, string]>([
    [
      'script in a link',
      { kind: 'button', label: 'x', url: 'javascript:alert(1)', align: 'left' },
      'url must',
    ],
    [
      'an image over http',
      { kind: 'image', url: 'http://a.test/a', alt: '', link: '', width: 'full' },
      'url must',
    ],
    ['an unknown kind', { kind: 'html', html: '<script>' }, 'Invalid discriminator'],
    ['an unknown field', { kind: 'divider', style: 'x' }, 'Unrecognized key'],
  ])('is refused with %s', (_, block, text) => {
    const { error } = BlockDesign.safeParse({ ...designOf(), blocks: [block] });
    expect(error?.issues[0]?.message).toContain(text);
  });

  it('differs from the JSON of another editor', () => {
    expect(blockDesignOf({ version: 2, rows: [] })).toBeNull();
    expect(blockDesignOf(designOf(...EVERY))).toEqual(designOf(...EVERY));
  });
});

it.each([
  ['a *b* c', 'a <em>b</em> c'],
  ['**{{ a }}**', '<strong>{{ a }}</strong>'],
  ['{{ a*b*c }}', '{{ a*b*c }}'],
  ['2 * 3 * 4', '2 * 3 * 4'],
  ['[x](https://a.test/?q="1")', '<a href="https://a.test/?q=&quot;1&quot;" style="S">x</a>'],
  ['[x](javascript:alert)', '[x](javascript:alert)'],
  ['[**x**]({{ url }})', '<a href="{{ url }}" style="S"><strong>x</strong></a>'],
  ['{% if a < 3 %}<b>{% endif %}', '{% if a < 3 %}&lt;b&gt;{% endif %}'],
])('the line %s is %s', (text, html) =>
  expect(htmlOfMarkup(text, 'S')).toBe(`<p style="margin:0">${html}</p>`),
);

it('a hostile text is read in linear time', () => {
  for (const part of ['*', '**a', '[', '[a](', '{{', '*a '])
    expect(htmlOfMarkup(part.repeat(20_000 / part.length), 'S').length).toBeGreaterThan(0);
});

it.each([
  ['#000000', '#ffffff'],
  ['#ffffff', '#000000'],
  ['#2563eb', '#ffffff'],
  ['#facc15', '#000000'],
])('on %s the label is %s', (background, ink) => expect(inkOn(background)).toBe(ink));
