import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { LinkTokens } from '@postmesh/public-links';
import { chromiumPath, startBrowser, testDatabase } from '@postmesh/testing';
import { campaignSend, recipientOf } from '../testing/campaign-sends-under-test.js';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

const database = testDatabase();
const chromium = chromiumPath();
let under: SendsUnderTest;
let origin: string;

beforeAll(async () => {
  under = await startSends(database.url);
  origin = `http://127.0.0.1:${await under.service.listen('127.0.0.1', 0)}`;
});
afterAll(() => under?.stop());

const HTML = `<html><head><title>News</title></head><body onload="document.title = 'run'">
  <p id="hi">Hi {{ first_name }}</p><script>document.title = 'run'</script>
  <a id="out" href="https://shop.test/a" target="_blank">a</a> <a href="{{ unsubscribe_url }}">u</a>
  <form action="/public/u/x" method="post"><button>send</button></form>
  <iframe src="https://shop.test/frame"></iframe></body></html>`;

/** The address of the web copy of a new message. */
async function copyOf(content: object = { html: HTML }, more: Parameters<typeof campaignSend>[2] = {}) {
  const recipient = recipientOf();
  const account = { track_opens: true, track_clicks: true, ...more.account };
  expect(await campaignSend(under, [recipient], { ...more, account, content })).toMatchObject({ ok: true });
  return { id: recipient.message_id, url: urlOf(recipient.message_id) };
}
const urlOf = (messageId: string) =>
  `${origin}/public/v/${under.service.get(LinkTokens).sign({ kind: 'view', messageId })}`;

describe('the web copy of a message (spec 3-marketing §5.4)', () => {
  it('spec 3-marketing §5.4: is the message of its recipient, without pixel and counted links', async () => {
    const response = await fetch((await copyOf()).url);
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('<p id="hi">Hi Ann</p>');
    expect(page).toContain('href="https://shop.test/a"');
    expect(page).not.toMatch(/\/[oc]\/[\w-]{20}/);
    expect(page).toMatch(/\/u\/[\w-]{20}/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^sandbox .*default-src 'none'/) as string,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
  });

  it('spec 3-marketing §5.4: of a message without HTML is its text', async () => {
    const response = await fetch((await copyOf({ html: null, text: 'A <b>\nfor {{ first_name }}' })).url);
    expect(await response.text()).toContain('A &lt;b&gt;<br>\nfor Ann');
  });

  it('spec 3-marketing §5.4: exists for a test too', async () => {
    expect((await fetch((await copyOf({ html: HTML }, { test: true })).url)).status).toBe(200);
  });

  it('spec 3-marketing §5.4: is a 404 page after the retention of the message, and for a bad link', async () => {
    const { id, url } = await copyOf();
    await under.sql(
      `update send_requests set retain_data_until = now() - interval '1 minute' where id = $1`,
      [id],
    );
    await under.sql(`update messages set status = 'Delivered' where id = $1`, [id]);
    const hidden = await copyOf({ html: HTML }, { account: { message_data_retention: 0 } });
    for (const gone of [url, hidden.url, urlOf(newId())]) {
      const response = await fetch(gone);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining('not available any more'),
      ]);
    }
    const bad = await fetch(`${origin}/public/v/abc`);
    expect([bad.status, await bad.text()]).toEqual([404, expect.stringContaining('does not work')]);
    const other = under.service.get(LinkTokens).sign({ kind: 'test-unsubscribe', messageId: id });
    expect((await fetch(`${origin}/public/v/${other}`)).status).toBe(404);
  });

  describe.runIf(chromium !== undefined)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser(chromium as string);
    });
    afterAll(() => browser?.close());

    it('spec 3-marketing §5.4: runs nothing, frames nothing, sends no form, and its links work', async () => {
      const { url } = await copyOf();
      const context = await browser.newContext();
      const asked: string[] = [];
      context.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
      const page = await context.newPage();
      await page.goto(url);
      expect(await page.title()).toBe('News');
      expect(await page.textContent('#hi')).toBe('Hi Ann');
      await page.click('button');
      const [opened] = await Promise.all([context.waitForEvent('page'), page.click('#out')]);
      await expect.poll(() => asked.filter((one) => one.endsWith('https://shop.test/a'))).toHaveLength(1);
      await opened.close();
      expect(asked.filter((one) => one.startsWith('POST'))).toEqual([]);
      expect(asked.filter((one) => one.includes('frame'))).toEqual([]);
      expect(page.url()).toBe(url);
      await context.close();
    });
  });
});
