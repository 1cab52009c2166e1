import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { LinkTokens } from '@postmesh/public-links';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { chromiumPath, startBrowser, testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';

const chromium = chromiumPath();
const database = testDatabase();

// Addresses may be this long (RFC 5321 §4.5.3.1), and have no place to break.
const LONG = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.test`;
const PHONE = { viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

describe.runIf(chromium !== undefined)(
  'the unsubscribe page in a browser (spec 2-messages §12 rule 2)',
  () => {
    let messages: TestService;
    let browser: Browser;
    let origin: string;

    beforeAll(async () => {
      messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
      origin = `http://127.0.0.1:${await messages.service.listen('127.0.0.1', 0)}`;
      browser = await startBrowser(chromium as string);
    });
    afterAll(async () => {
      await browser?.close();
      await messages?.stop();
    });

    const link = (recipient: string): string => {
      const tokens = messages.service.get(LinkTokens);
      const about = { messageId: newId(), accountId: messages.accountId, domain: 'shop.test', recipient };
      return `${origin}/public/u/${tokens.sign({ kind: 'unsubscribe', ...about })}`;
    };

    /** A page without scripts, and what it asked for and complained of. */
    async function open(url: string, options: BrowserContextOptions = {}) {
      const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false, ...options });
      const page = await context.newPage();
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(url);
      return { page, asked, complaints, close: () => context.close() };
    }

    const suppressed = (email: string): Promise<object[]> =>
      messages.service.get(DataSource).query('select * from suppressions where email = $1', [email]);

    it('works on a phone without scripts, and asks nobody else for anything (spec 2-messages §12 rule 3)', async () => {
      const { page, asked, complaints, close } = await open(link('ann@mail.test'));
      expect(await page.title()).toBe('Unsubscribe');
      expect(await page.textContent('main')).toMatch(/shop\.test.*ann@mail\.test/);
      expect(await suppressed('ann@mail.test')).toEqual([]);
      await page.tap('button');
      await page.waitForSelector('text=You are unsubscribed');
      expect(await suppressed('ann@mail.test')).toHaveLength(1);
      expect(await page.textContent('main')).toContain('ann@mail.test');
      // sent once more, as a reload does
      await page.reload();
      expect(await page.title()).toBe('You are unsubscribed');
      expect(await suppressed('ann@mail.test')).toHaveLength(1);
      expect([...new Set(asked.map((url) => new URL(url).origin))]).toEqual([origin]);
      expect(complaints).toEqual([]);
      await close();
    });

    it('works with the keyboard alone', async () => {
      const { page, close } = await open(link('keys@mail.test'));
      await page.keyboard.press('Tab');
      expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('BUTTON');
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=You are unsubscribed');
      await close();
    });

    it('shows a hostile address as text', async () => {
      const hostile = `"<script>document.title='x'</script><img/src=x>"@mail.test`;
      const { page, asked, close } = await open(link(hostile), { javaScriptEnabled: true });
      expect(await page.textContent('main')).toContain(hostile);
      expect(await page.title()).toBe('Unsubscribe');
      expect(asked).toHaveLength(1);
      await close();
    });

    it.each([
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['a small phone, lying', { viewport: { width: 568, height: 320 } }],
    ] as const)('is readable: %s', async (_how, options) => {
      const { page, close } = await open(link(LONG), options);
      const seen = await look(page);
      expect(seen.overflow).toBe(0);
      expect(seen.smallest).toBeGreaterThanOrEqual(16);
      expect(seen.contrasts.length).toBeGreaterThanOrEqual(3);
      for (const contrast of seen.contrasts) expect(contrast).toBeGreaterThanOrEqual(7);
      const button = await page.locator('button').boundingBox();
      expect(button?.height).toBeGreaterThanOrEqual(48);
      expect(button?.width).toBeGreaterThanOrEqual(200);
      // reachable: a tap on it arrives
      await page.locator('button').tap({ trial: true });
      await close();
    });
  },
);

interface Look {
  /** px that have to be scrolled sideways */
  overflow: number;
  /** px of the smallest text */
  smallest: number;
  /** of texts with what is behind them; WCAG 2.2 §1.4.6 wants 7 */
  contrasts: number[];
}

const look = (page: Page) => page.evaluate<Look>(LOOK);

// runs in the page
const LOOK = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = channels(colour).slice(0, 3)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backOf = (element) => {
    const colour = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
    return channels(colour)[3] === 0 ? backOf(element.parentElement) : colour;
  };
  const texts = [...document.querySelectorAll('h1, p, strong, button')];
  const contrasts = texts.map((element) => {
    const pair = [luminance(getComputedStyle(element).color), luminance(backOf(element))];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
  const root = document.documentElement;
  return {
    overflow: root.scrollWidth - root.clientWidth,
    smallest: Math.min(...texts.map((element) => Number.parseFloat(getComputedStyle(element).fontSize))),
    contrasts,
  };
})()`;
