// @ts-check
// VitePress builds the staged pages (stage.mjs) into dist. The gateway serves them below /console/docs with a policy that
// allows no inline code and no inline style (decision 142), so that styles of code are classes.
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig } from 'vitepress';
import { SECTIONS, routeOf } from '../pages.mjs';
import { SEARCHED } from '../stage.mjs';

const codeStyles = transformerStyleToClass({ classPrefix: 'code-' });

/** Vue would read the braces of a template. @param {string} html */
const withoutBraces = (html) => html.replaceAll('{{', '&#123;&#123;');

/** @param {any} md MarkdownIt */
function writeForPolicy(md) {
  md.disable('emoji');
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (/** @type {any[]} */ ...args) => withoutBraces(text(...args));
  const code = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (/** @type {any[]} */ ...args) => withoutBraces(code(...args));
  for (const cell of ['th_open', 'td_open'])
    md.renderer.rules[cell] = (
      /** @type {any[]} */ tokens,
      /** @type {number} */ at,
      /** @type {any} */ options,
      /** @type {any} */ _env,
      /** @type {any} */ self,
    ) => {
      const token = tokens[at];
      const align = /text-align:(\w+)/.exec(token.attrGet('style') ?? '')?.[1];
      token.attrs = align === undefined ? null : [['class', `align-${align}`]];
      return self.renderToken(tokens, at, options);
    };
}

/** @param {string} page @returns {import('vitepress').HeadConfig} */
const alternate = (page) => [
  'link',
  { rel: 'alternate', type: 'text/markdown', href: `/console/docs/${page}` },
];

/** As the pages on GitHub have them. @param {string} heading */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

export default defineConfig({
  title: 'Postmesh',
  description: 'Documentation of Postmesh, an email delivery service of your own',
  lang: 'en',
  base: '/console/docs/',
  srcDir: '.cache/pages',
  cacheDir: '.cache/vitepress',
  outDir: 'dist',
  cleanUrls: true,
  metaChunk: true,
  lastUpdated: false,
  // the check of the built pages finds them, anchors included
  ignoreDeadLinks: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    attrs: { disable: true },
    anchor: { slugify },
    config: writeForPolicy,
    codeTransformers: [codeStyles],
  },
  /** The styles of code, once all pages are rendered. */
  buildEnd: async () => {
    const { writeCodeStyles } = await import('../finish.mjs');
    writeCodeStyles(codeStyles.getCSS());
  },
  transformHead: ({ pageData }) => [
    ...(pageData.isNotFound ? [] : [alternate(pageData.relativePath)]),
    ['link', { rel: 'stylesheet', href: '/console/docs/code.css' }],
  ],
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides/domains' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Operations', link: '/operations' },
    ],
    sidebar: SECTIONS.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: routeOf(page.source) })),
    })),
    docFooter: { prev: 'Before', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        /** The reasons for old decisions would hide the answers. */
        async _render(source, env, md) {
          return SEARCHED(env.relativePath) ? md.render(source, env) : '';
        },
      },
    },
  },
});
