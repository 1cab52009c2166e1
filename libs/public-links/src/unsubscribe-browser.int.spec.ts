import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, startBrowser } from '@postmesh/testing';
import { LinkTokens, type CampaignUnsubscribeLink, type UnsubscribeLink } from './link-tokens.js';
import type { Stop, Subscription } from './unsubscribe-pages.js';
import { UnsubscribeController, Unsubscriber } from './unsubscribe.controller.js';

const chromium = chromiumPath();

// Addresses may be this long (RFC 5321 §4.5.3.1), and have no place to break.
const LONG = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.test`;
const PHONE = { viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const FORM = 'application/x-www-form-urlencoded';

type Link = UnsubscribeLink | CampaignUnsubscribeLink;
const tokens = new LinkTokens(['a secret key of this test']);

/** A service with links of one kind, which keeps its records in memory. */
async function startService(kind: Link['kind'], about: (link: Link) => Subscription | undefined) {
  const records: (Stop | `back to ${Stop}`)[] = [];
  const unsubscriber: Unsubscriber = {
    kind,
    about: async (link) => about(link),
    record: async (_link, stop) => void records.push(stop),
    takeBack: async (_link, stop) => records.push(`back to ${stop}`) > 0,
  };
  @Module({
    controllers: [UnsubscribeController],
    providers: [
      { provide: LinkTokens, useValue: tokens },
      { provide: Unsubscriber, useValue: unsubscriber },
    ],
  })
  class TestModule {}
  const adapter = new FastifyAdapter({ routerOptions: { maxParamLength: 6_000 } });
  const options = { logger: false, bodyParser: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(TestModule, adapter, options);
  adapter.getInstance().addContentTypeParser(FORM, { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  await app.listen(0, '127.0.0.1');
  return { app, origin: await app.getUrl(), records };
}

describe.runIf(chromium !== undefined)('the unsubscribe pages in a browser', () => {
  let messages: Awaited<ReturnType<typeof startService>>;
  let marketing: Awaited<ReturnType<typeof startService>>;
  let browser: Browser;
  /** of the contact of a campaign, until it is deleted */
  let subscription: Subscription | undefined = { email: 'ann@mail.test', domain: 'shop.test' };

  beforeAll(async () => {
    messages = await startService('unsubscribe', (link) =>
      link.kind === 'unsubscribe' ? { email: link.recipient, domain: link.domain } : undefined,
    );
    marketing = await startService('campaign-unsubscribe', () => subscription);
    browser = await startBrowser(chromium as string);
  });
  afterAll(async () => {
    await browser?.close();
    await messages?.app.close();
    await marketing?.app.close();
  });

  const ids = () => ({ messageId: randomUUID(), accountId: randomUUID() });
  const link = (recipient: string): string =>
    `${messages.origin}/public/u/${tokens.sign({ kind: 'unsubscribe', ...ids(), domain: 'shop.test', recipient })}`;
  const campaignLink = (): string => {
    const about = { ...ids(), campaignId: randomUUID(), contactId: randomUUID() };
    return `${marketing.origin}/public/u/${tokens.sign({ kind: 'campaign-unsubscribe', ...about })}`;
  };

  /** A page without scripts, and its requests and errors. */
  async function open(url: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false, ...options });
    const page = await context.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(url);
    return { page, requested, complaints, close: () => context.close() };
  }

  it.each([
    ['a message (spec 2-messages §12 rule 3)', 'Unsubscribe', 'ann@mail.test will get no more email', 'all'],
    [
      'a campaign (spec 3-marketing §7.4 rule 3)',
      'Stop these emails',
      'no more emails like this one',
      'these',
    ],
    [
      'a campaign (spec 3-marketing §7.4 rule 3)',
      'Stop all marketing email',
      'no more marketing email',
      'all',
    ],
  ])('of %s has the button "%s", without scripts, on a phone', async (of, label, says, stop) => {
    const { origin, records } = of.startsWith('a message') ? messages : marketing;
    const begun = records.length;
    const { page, requested, complaints, close } = await open(
      of.startsWith('a message') ? link('ann@mail.test') : campaignLink(),
    );
    // spec 2-messages §12 rule 2, spec 3-marketing §7.4 rule 1: showing changes nothing
    await page.reload();
    expect(await page.title()).toBe('Unsubscribe');
    expect(await page.textContent('main')).toMatch(/shop\.test.*ann@mail\.test/);
    expect(records).toHaveLength(begun);
    const button = page.locator('button', { hasText: label });
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(48);
    await button.tap();
    await page.waitForSelector('text=You are unsubscribed');
    expect(await page.textContent('main')).toContain(says);
    // sent once more, like a reload
    await page.reload();
    expect(await page.title()).toBe('You are unsubscribed');
    expect(records.slice(begun)).toEqual([stop, stop]);
    await page.tap('text=Subscribe again');
    await page.waitForSelector('text=You are subscribed again');
    expect(records.at(-1)).toBe(`back to ${stop}`);
    expect([...new Set(requested.map((url) => new URL(url).origin))]).toEqual([origin]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('work with the keyboard alone', async () => {
    for (const [url, tabs] of [
      [link('keys@mail.test'), 1],
      [campaignLink(), 2],
    ] as const) {
      const { page, close } = await open(url);
      for (let tab = 0; tab < tabs; tab++) await page.keyboard.press('Tab');
      expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('BUTTON');
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=You are unsubscribed');
      await close();
    }
    expect(marketing.records.at(-1)).toBe('all');
  });

  it('spec 3-marketing §1.5 C9 work for a deleted contact; spec 3-marketing §3.2 a test has no button', async () => {
    const before = subscription;
    subscription = undefined;
    const first = await open(campaignLink());
    await first.page.tap('text=Stop these emails');
    await first.page.waitForSelector('text=You are unsubscribed');
    await first.close();
    subscription = before;
    const test = tokens.sign({ kind: 'test-unsubscribe', messageId: randomUUID() });
    const second = await open(`${marketing.origin}/public/u/${test}`);
    expect(await second.page.title()).toBe('This is a test');
    expect(await second.page.locator('button').count()).toBe(0);
    await second.close();
  });

  it('show a hostile address as text', async () => {
    const hostile = `"<script>document.title='x'</script><img/src=x>"@mail.test`;
    const { page, requested, close } = await open(link(hostile), { javaScriptEnabled: true });
    expect(await page.textContent('main')).toContain(hostile);
    expect(await page.title()).toBe('Unsubscribe');
    expect(requested).toHaveLength(1);
    await close();
  });

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
  ] as const)('have no barrier: %s', async (_how, options) => {
    for (const url of [link(LONG), campaignLink()]) {
      const { page, close } = await open(url, { ...options, javaScriptEnabled: true });
      expect(await barriers(page)).toEqual([]);
      await page.locator('button').last().tap();
      await page.waitForSelector('text=You are unsubscribed');
      expect(await barriers(page)).toEqual([]);
      await close();
    }
  });

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['a small phone, lying', { viewport: { width: 568, height: 320 } }],
  ] as const)('are readable: %s', async (_how, options) => {
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
});

interface Look {
  /** px that have to be scrolled sideways */
  overflow: number;
  /** px of the smallest text */
  smallest: number;
  /** of texts with what is behind them; WCAG 2.2 §1.4.6 wants 7 */
  contrasts: number[];
}

/** Violations of WCAG 2.2 AA that axe finds. */
async function barriers(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
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
