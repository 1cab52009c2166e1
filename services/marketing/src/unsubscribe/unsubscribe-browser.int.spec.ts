import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { LinkTokens } from '@postmesh/public-links';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { chromiumPath, startBrowser, testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import {
  NAMES_OF_LISTS,
  queryOf,
  sendingCampaign,
  type TestRecipient,
} from '../testing/campaign-under-test.js';

const chromium = chromiumPath();
const database = testDatabase();
const PHONE = { viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

describe.runIf(chromium !== undefined)('the page of a campaign link in a browser', () => {
  let marketing: TestService;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
    origin = `http://127.0.0.1:${await marketing.service.listen('127.0.0.1', 0)}`;
    browser = await startBrowser(chromium as string);
  });
  afterAll(async () => {
    await browser?.close();
    await marketing?.stop();
  });

  async function reader() {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const { contactId, messageId } = one;
    const about = { messageId, accountId: marketing.accountId, campaignId: campaign.id, contactId };
    const token = marketing.service.get(LinkTokens).sign({ kind: 'campaign-unsubscribe', ...about });
    return { one, url: `${origin}/public/u/${token}` };
  }

  /** A page without scripts, and its requests and errors. */
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

  const state = async ({ contactId }: TestRecipient) => {
    const query = queryOf(marketing);
    const memberships = await query<{ subscription_status: string }>(
      'select subscription_status from memberships where contact_id = $1',
      [contactId],
    );
    const [contact] = await query<{ unsubscribed: boolean }>(
      'select unsubscribed from contacts where id = $1',
      [contactId],
    );
    return [...memberships.map((row) => row.subscription_status), contact?.unsubscribed];
  };

  it('spec 3-marketing §7.4 rule 1 changes nothing until a button is used, and names no list', async () => {
    const { one, url } = await reader();
    const { page, asked, complaints, close } = await open(url);
    await page.reload();
    expect(await page.title()).toBe('Unsubscribe');
    const text = await page.textContent('main');
    expect(text).toContain(one.email);
    expect(await page.locator('button').allTextContents()).toEqual([
      'Stop these emails',
      'Stop all marketing email',
    ]);
    for (const name of NAMES_OF_LISTS) expect(await page.content()).not.toContain(name);
    expect(await state(one)).toEqual(['confirmed', 'confirmed', false]);
    expect([...new Set(asked.map((asking) => new URL(asking).origin))]).toEqual([origin]);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([
    ['Stop these emails', 'no more emails like this one', ['unsubscribed', 'unsubscribed', false]],
    ['Stop all marketing email', 'no more marketing email', ['confirmed', 'confirmed', true]],
  ])(
    'spec 3-marketing §7.4 rule 3 has the choice "%s", without scripts, on a phone',
    async (button, says, wanted) => {
      const { one, url } = await reader();
      const { page, complaints, close } = await open(url);
      const box = await page.locator(`text=${button}`).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(48);
      await page.tap(`text=${button}`);
      await page.waitForSelector('text=You are unsubscribed');
      expect(await page.textContent('main')).toContain(says);
      expect(await state(one)).toEqual(wanted);
      // sent once more, like a reload
      await page.reload();
      expect(await page.title()).toBe('You are unsubscribed');
      expect(await state(one)).toEqual(wanted);
      for (const name of NAMES_OF_LISTS) expect(await page.content()).not.toContain(name);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('spec 3-marketing §7.4 rule 3 works with the keyboard alone', async () => {
    const { one, url } = await reader();
    const { page, close } = await open(url);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=You are unsubscribed');
    expect(await state(one)).toEqual(['confirmed', 'confirmed', true]);
    await close();
  });

  it('spec 3-marketing §1.5 C9 works for a deleted contact; spec 3-marketing §3.2 a test has no button', async () => {
    const tokens = marketing.service.get(LinkTokens);
    const [messageId, accountId, campaignId, contactId] = [newId(), marketing.accountId, newId(), newId()];
    const gone = tokens.sign({ kind: 'campaign-unsubscribe', messageId, accountId, campaignId, contactId });
    const first = await open(`${origin}/public/u/${gone}`);
    await first.page.tap('text=Stop these emails');
    await first.page.waitForSelector('text=You are unsubscribed');
    await first.close();
    const second = await open(`${origin}/public/u/${tokens.sign({ kind: 'test-unsubscribe', messageId })}`);
    expect(await second.page.title()).toBe('This is a test');
    expect(await second.page.locator('button').count()).toBe(0);
    await second.close();
  });
});
