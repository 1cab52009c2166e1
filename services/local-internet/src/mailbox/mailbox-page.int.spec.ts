import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumPath, startBrowser } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendMessage, startTestInternet, type TestInternet } from '../local-internet.fixture.js';

const ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test';
const HOSTILE = [
  ...['From: Shop <news@shop.test>', 'Subject: Order A-17', `Message-ID: <${ID}>`],
  ...['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8', ''],
  '<h1>Order A-17</h1><script>document.title = "ran"; top.document.title = "ran"</script>',
  '<form action="https://evil.example"><button>Go</button></form><img src="https://tracker.example/pixel.gif">',
].join('\r\n');

describe.skipIf(chromiumPath() === undefined)('the web mailbox in a browser', () => {
  let internet: TestInternet;
  let browser: Browser;
  beforeAll(async () => {
    internet = await startTestInternet({ consoleUrl: 'http://localhost:8080/console' });
    browser = await startBrowser(chromiumPath()!);
    for (let at = 0; at < 201; at += 1)
      await sendMessage(internet, { to: [`r${at}@mail.test`], message: `Subject: News ${at}\r\n\r\nHello` });
    await sendMessage(internet, { from: 'news@shop.test', to: ['ann@mail.test'], message: HOSTILE });
  });
  afterAll(async () => {
    await browser?.close();
    await internet?.stop();
  });

  async function open(path = '/', options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const left: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(internet.mailboxUrl)) left.push(request.url());
    });
    page.on('requestfailed', () => left.pop());
    await page.goto(internet.mailboxUrl + path);
    await page.getByRole('listitem').first().waitFor();
    return { page, left, close: () => context.close() };
  }

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    'has no barrier, %s and %i wide, in the list, the filters and a message',
    async (colorScheme, width) => {
      const { page, close } = await open('/?subject=order', {
        colorScheme,
        viewport: { width, height: 740 },
      });
      await expectNoBarrier(page);
      await page.getByRole('listitem').getByRole('button').click();
      await page.getByRole('tab', { name: 'HTML' }).waitFor();
      await expectNoBarrier(page);
      await close();
    },
  );

  it('has messages beyond the first 200 where the reader asks for them', async () => {
    const { page, close } = await open();
    expect(await page.getByRole('listitem').count()).toBe(200);
    await page.getByText('newest 200 messages').waitFor();
    await page.getByRole('button', { name: 'Show older messages' }).click();
    await page.getByText('202 messages').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(202);
    expect(await page.getByRole('button', { name: 'Show older messages' }).count()).toBe(0);
    await close();
  });

  it('is narrowed by recipient, sender and subject, in its address, too', async () => {
    const { page, close } = await open();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Recipient').fill('r17@');
    await page.getByText('1 message', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?to=r17%40');
    await page.reload();
    await page.getByText('1 message', { exact: true }).waitFor();
    expect(await page.getByLabel('Recipient').inputValue()).toBe('r17@');
    await page.getByLabel('Sender').fill('shop.test');
    await page.getByText('Nothing fits this search.').waitFor();
    await page.getByLabel('Recipient').fill('');
    await page.getByLabel('Subject').fill('a-17');
    await page.getByText('1 message', { exact: true }).waitFor();
    await close();
  });

  it('shows a hostile message in a frame that runs, loads and submits nothing, and leads to its timeline', async () => {
    const { page, left, close } = await open('/?to=ann@');
    await page.getByRole('listitem').getByRole('button').click();
    const mail = page.frameLocator('iframe');
    await mail.getByText('Order A-17').waitFor();
    await mail.getByRole('button', { name: 'Go' }).click();
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toMatch(
      /allow-(scripts|same-origin|forms)/,
    );
    expect([await page.title(), left]).toEqual(['Mailbox (1)', []]);
    const timeline = page.getByRole('link', { name: 'Its timeline' });
    expect(await timeline.getAttribute('href')).toBe(
      `http://localhost:8080/console/messages/${encodeURIComponent(ID)}?recipient=ann%40mail.test`,
    );
    await close();
  });
});

/** Neither a violation of WCAG 2.2 AA that axe finds, nor a page that is wider than its window. */
async function expectNoBarrier(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], iframes: false })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`);
  const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect([found, beyond]).toEqual([[], 0]);
}
