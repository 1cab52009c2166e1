import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, startBrowser } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriers } from './browser-page.js';
import { eventually, Postmesh } from './harness.js';
import { CONTRACT_SETTINGS } from './installation-facts.js';

// The built documentation in a real browser, under the policy of the gateway.
const SITE = fileURLToPath(new URL('../../../../site/', import.meta.url));
const BUILD_MS = 300_000;
const PAGES = [
  '',
  'start',
  'guides/smtp',
  'reference/api/messages',
  'reference/errors',
  'operations',
  'console',
];
const LOOKS = [
  ['light', 1280],
  ['dark', 360],
] as const;
const postmesh = new Postmesh();
let browser: Browser;
/** where requests went that were not for this installation, and what the browser complained about */
let faults: string[];

async function open(
  path: string,
  [colorScheme, width]: readonly ['light' | 'dark', number] = LOOKS[0],
): Promise<Page> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const { base_url: origin } = postmesh.credentials;
  faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on(
    'request',
    (one) => !one.url().startsWith('data:') && !one.url().startsWith(origin) && faults.push(one.url()),
  );
  await page.goto(`${origin}/console/docs/${path}`, { waitUntil: 'networkidle' });
  return page;
}

describe.skipIf(chromiumPath() === undefined)('the documentation in a browser', () => {
  beforeAll(async () => {
    const built = spawnSync(process.execPath, [`${SITE}build.mjs`], { encoding: 'utf8', timeout: BUILD_MS });
    if (built.status !== 0) throw new Error(built.stderr);
    await postmesh.start(CONTRACT_SETTINGS);
    browser = await startBrowser(chromiumPath() ?? '');
  }, BUILD_MS);
  afterAll(async () => {
    await browser?.close();
    await postmesh.leave();
  });

  describe.each(LOOKS)('%s, %d wide', (...look) => {
    it.each(PAGES)('/%s has no fault, no barrier and no bar across', async (path) => {
      const page = await open(path, look);
      expect(await page.locator('h1').first().isVisible()).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await barriers(page)).toEqual([]);
      const shots = process.env['POSTMESH_SITE_SHOTS'];
      if (shots) await page.screenshot({ path: `${shots}/${path.replaceAll('/', '-')}-${look[0]}.png` });
      expect(faults).toEqual([]);
    });
  });

  it('searches without the network of others, and leads to the page', async () => {
    const page = await open('');
    await page.keyboard.press('/');
    await page.locator('#localsearch-input').fill('greylist');
    const result = page.locator('.result').first();
    await result.waitFor();
    await result.click();
    await eventually(() => page.url()).toMatch(/console\/docs\/.+#/);
    expect(await page.locator('h1').first().isVisible()).toBe(true);
    expect(faults).toEqual([]);
  });

  it('goes from page to page without loading the first again', async () => {
    const page = await open('start');
    await page.locator('.vp-doc a[href$="/guides/webhooks"]').first().click();
    await eventually(() => page.locator('h1').first().textContent()).toContain('Webhooks');
    expect(await page.locator('pre span[class*="code-"]').count()).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  it('has the Markdown of each page that llms.txt lists', async () => {
    const { base_url: origin } = postmesh.credentials;
    const index = await (await fetch(`${origin}/llms.txt`)).text();
    const paths = [...index.matchAll(/\((?:\S*?)(\/?console\/docs\/[^)\s]+)\)/g)].map(([, path]) =>
      String(path),
    );
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) {
      const file = `${SITE}dist/${path.replace(/^\/?console\/docs\//, '')}`;
      expect(existsSync(file) && readFileSync(file, 'utf8').startsWith('# '), path).toBe(true);
    }
  });
});
