import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromiumPath, startBrowser, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from '../installation.js';
import { barriers } from './browser-page.js';

// The way of a newcomer, by keyboard: from the line that `npm start` prints to a campaign that was read. Each step begins on
// the page where the one before has ended. With POSTMESH_SCREENSHOTS, a folder, its stops become the pictures of docs/console.md.
const PICTURES = process.env.POSTMESH_SCREENSHOTS;
const LIGHT = { width: 1280, height: 800 };
const CONTACTS = [
  'Email,First name,City',
  'ann@mail.test,Ann,Oslo',
  'ben@mail.test,Ben,Lima',
  'bounce-cleo@mail.test,Cleo,Rome',
  'dan at mail.test,Dan,Bonn',
].join('\n');
const NEWS = [
  '<mjml><mj-body background-color="#f3f1ed"><mj-section background-color="#ffffff"><mj-column>',
  '  <mj-text font-size="24px">Hello {{ first_name|default("you") }}</mj-text>',
  '  <mj-text>The shop opens in {{ city|default("your city") }} next week.</mj-text>',
  '  <mj-button href="https://shop.test/">See what is new</mj-button>',
  '  <mj-text font-size="12px"><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>',
  '</mj-column></mj-section></mj-body></mjml>',
].join('\n');

describe.skipIf(chromiumPath() === undefined)('the way of a newcomer through the console', () => {
  let postmesh: Installation;
  let receiver: HttpReceiver;
  let browser: Browser;
  let page: Page;
  /** of the key that the newcomer makes */
  let secret: string;
  const problems: string[] = [];

  beforeAll(async () => {
    postmesh = await Installation.create({ POSTMESH_WEBHOOK_RETRY_SCALE: '10' });
    [receiver, browser] = await Promise.all([startHttpReceiver(), startBrowser(chromiumPath()!)]);
    await postmesh.start();
    const context = await browser.newContext({ viewport: LIGHT, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await receiver?.close();
    await postmesh?.remove();
  });

  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('link', { name, exact: true });
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const seen = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const go = (name: string) => link(name, page.getByRole('navigation', { name: 'Pages' })).press('Enter');
  /** A step of the list on the first page. */
  const begin = async (step: string) => {
    await go('Home');
    await link('Go', page.getByRole('listitem').filter({ hasText: step })).press('Enter');
  };

  /** A page of the way: it fits its window and has no barrier; with POSTMESH_SCREENSHOTS it becomes a picture. */
  async function stop(name?: string): Promise<void> {
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await barriers(page)).toEqual([]);
    if (name !== undefined && PICTURES !== undefined) await picture(join(PICTURES, `${name}.png`));
  }

  /** The top of the page, without the notices of the step before. */
  async function picture(path: string): Promise<void> {
    const notices = page.locator('button[aria-label="Close"]:not(dialog *)');
    // one may end meanwhile
    while ((await notices.count()) > 0)
      await notices
        .first()
        .click({ timeout: 1_000 })
        .catch(() => undefined);
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path, caret: 'hide' });
  }

  /** The request that the console shows, run as it is. */
  async function runShownRequest(): Promise<string> {
    const shown = await page.getByLabel('curl', { exact: true }).innerText();
    const env = { PATH: process.env.PATH, POSTMESH_API_KEY: secret };
    return (await promisify(execFile)('bash', ['-c', shown], { env })).stdout;
  }

  it('begins with the printed link', async () => {
    const url = /Console: (\S+)/.exec(postmesh.printed)?.[1] ?? '';
    await page.goto(url);
    await button('Sign in').press('Enter');
    await page.getByRole('region', { name: 'To the first delivery' }).waitFor();
    await stop('first-steps');
  });

  it('adds a domain, and sees its records in the DNS', async () => {
    await begin('Add a domain');
    await button('Add domain').press('Enter');
    await dialog().getByLabel('Domain', { exact: true }).fill('shop.test');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop.test' }).waitFor();
    await button('Check now').press('Enter');
    await seen('All required records are in the DNS.');
    await stop('domain');
  });

  it('creates a key for the program that sends', async () => {
    await go('Developers');
    await button('Create API key').first().press('Enter');
    await dialog().getByLabel('Label').fill('Shop');
    await page.keyboard.press('Enter');
    await seen('This is shown once');
    secret = (await dialog().locator('code').first().innerText()).trim();
    await button('I have stored it').press('Enter');
    await page.getByRole('row', { name: /Shop/ }).waitFor();
  });

  it('sends the first message, and reads what happened to it', async () => {
    await begin('Send the first message');
    await button('Send it from here').press('Enter');
    await page.getByRole('heading', { name: 'What happened', exact: true }).waitFor();
    await seen('Delivered: the recipient’s server took it');
    await stop('message');
  });

  it('finds a webhook that fails, mends its server, and has the missed call repeated', async () => {
    receiver.respondWith({ status: 503, body: 'the database is down' });
    await go('Webhooks');
    await button('Add webhook').first().press('Enter');
    await dialog().getByLabel('Name').fill('Shop');
    await dialog().getByLabel('URL').fill(`${receiver.url}/hooks`);
    for (const event of ['Accepted', 'Delivered', 'Bounced'])
      await dialog().getByRole('checkbox', { name: event }).setChecked(true);
    await button('Add webhook', dialog()).press('Enter');
    await button('I have stored it').press('Enter');

    await go('Developers');
    await tab('First request').press('Enter');
    expect(JSON.parse(await runShownRequest())).toMatchObject({ data: [{ status: 'queued' }] });
    await receiver.waitFor(1);

    await go('Home');
    await link(/Webhook “Shop”/).press('Enter');
    await seen('Never worked');
    await tab('Waiting').press('Enter');
    await button('message.reception').first().press('Enter');
    await dialog().getByText('the database is down').first().waitFor();
    await stop('delivery');
    await page.keyboard.press('Escape');
    await stop('webhook');

    receiver.respondWith({ body: 'thanks' });
    await button('Repeat calls').press('Enter');
    await button('Repeat calls', dialog()).press('Enter');
    await seen('Healthy');
    await tab('Ended').press('Enter');
    await page.getByRole('row', { name: /message.delivered.*Succeeded/ }).waitFor();
  });

  it('imports contacts after a dry run that names the rows that are wrong', async () => {
    await go('Audience');
    await tab('Lists').press('Enter');
    await button('Create list').first().press('Enter');
    await dialog().getByLabel('Name').fill('Opening');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Opening/ }).waitFor();
    await tab('Contacts').press('Enter');
    await link('Import').first().press('Enter');
    await button('File').setInputFiles({
      name: 'contacts.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(CONTACTS),
    });
    await page.getByLabel('City').selectOption({ label: 'New attribute city' });
    await page.getByLabel('Put them on the list').selectOption({ label: 'Opening' });
    await seen('3 rows would be imported, 1 row would not.');
    await page.getByRole('listitem').filter({ hasText: 'Line 5' }).getByText('no valid address').waitFor();
    await stop('import');
    await button('Import 3 contacts').press('Enter');
    await seen('3 rows done: 3 created, 0 updated, 1 rejected.');
  });

  it('composes a campaign, tests it, sends it, and reads its results', async () => {
    await go('Campaigns');
    await button('Create campaign').first().press('Enter');
    await dialog().getByLabel('Name').fill('Opening');
    await page.keyboard.press('Enter');
    await page.getByLabel('Subject').fill('{{ first_name|default("Friend") }}, we open next week');
    await page.getByLabel('From').fill('news@shop.test');
    await page.getByLabel('Name of the sender').fill('Shop');
    await page.getByRole('checkbox', { name: 'Opening' }).setChecked(true);
    await page.getByLabel('Language').selectOption('MJML');
    await page.getByRole('textbox', { name: 'MJML' }).focus();
    await page.keyboard.insertText(NEWS);
    await seen('All changes are saved as a draft.');
    await page.frameLocator('iframe').frameLocator('iframe').getByText('See what is new').waitFor();
    await stop('campaign');

    await tab('Check and send').press('Enter');
    await page.getByRole('region', { name: 'Test' }).getByLabel('To').fill('ann@mail.test');
    await button('Send').press('Enter');
    await seen('A test is on its way to ann@mail.test.');
    await stop();
    await button('Send now').press('Enter');

    await page.getByRole('row', { name: /Delivered.*ann@mail.test/ }).waitFor();
    await page.getByRole('row', { name: /Bounced.*bounce-cleo@mail.test/ }).waitFor();
    await seen('3 of 3 recipients handed over');
    await stop('campaign-results');
  });

  it('reads why a recipient got nothing, also in the dark and on a phone', async () => {
    await page.getByRole('row', { name: /bounce-cleo/ }).press('Enter');
    await seen('Bounced: refused for good');
    await page.emulateMedia({ colorScheme: 'dark' });
    await stop('bounce');
    await page.setViewportSize({ width: 360, height: 740 });
    await stop('phone');
    await page.setViewportSize(LIGHT);
    await go('Home');
    await page.getByRole('region', { name: 'How it goes' }).waitFor();
    await stop();
    // the fonts of MJML are not fetched for a preview
    expect(problems.filter((text) => !text.includes('fonts.googleapis.com'))).toEqual([]);
  });

  it('looks an operation up in the reference', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await go('Developers');
    await tab('First request').press('Enter');
    const opened = page.waitForEvent('popup');
    await link('API reference').press('Enter');
    const reference = await opened;
    await reference.setViewportSize(LIGHT);
    const operation = reference.getByRole('menuitem', {
      name: 'Send a message to each of up to 100 recipients',
    });
    await reference.getByRole('menuitem', { name: 'Messages', exact: true }).click();
    await operation.last().click();
    const sample = reference
      .locator('[id="tag/Messages/operation/messages.send"]')
      .getByRole('tab', { name: 'curl' });
    await sample.click();
    await reference.waitForURL(/#tag\/Messages\/operation\/messages\.send$/);
    if (PICTURES !== undefined) await reference.screenshot({ path: join(PICTURES, 'reference.png') });
  });
});
