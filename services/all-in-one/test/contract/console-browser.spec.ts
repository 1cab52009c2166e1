import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromiumPath, startBrowser } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, uniqueDomain, type Account } from './harness.js';

// The built pages in a real browser. Requests of the back end are answered here: each operation gets the key of the account,
// which stays in this process.
const postmesh = sharedInstallation();

const PAGES = [
  ...['/', '/messages', '/domains', '/webhooks', '/webhooks?tab=routes', '/suppressions', '/developers'],
  ...[
    '/developers?tab=smtp',
    '/templates',
    '/audience',
    '/audience?tab=lists',
    '/audience/import',
    '/campaigns',
  ],
  ...['/statistics', '/settings', '/settings?tab=members', '/about/ann@mail.test'],
];
const PHONE = { viewport: { width: 360, height: 740 } };
const HOSTILE = [
  '<h1 style="color: rgb(200, 0, 0)">Order A-17</h1>',
  '<script>parent.postMessage("ran", "*"); fetch("/console/api/session")</script>',
  '<img src="https://tracker.example/pixel.gif" onerror="top.location = \'https://evil.example\'">',
  '<form action="https://evil.example"><button>Go</button></form>',
].join('');

let account: Account;
let browser: Browser;
/** what the browser complained about, and where it went */
let problems: string[];
let foreign: string[];

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext(options);
  await answerForBackEnd(context);
  const page = await context.newPage();
  problems = [];
  foreign = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(postmesh.url)) foreign.push(request.url());
  });
  // a request that the policy has stopped has not left the browser
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'csp') foreign = foreign.filter((url) => url !== request.url());
  });
  return page;
}

async function answerForBackEnd(context: BrowserContext): Promise<void> {
  const session = {
    member: { user_id: account.id, email: account.ownerEmail, name: 'Kim' },
    account: { id: account.id, name: account.name },
    accounts: [{ id: account.id, name: account.name, roles: ['Administrator'] }],
    ...{ roles: ['Administrator'], scopes: ['*'], expires_at: '2100-01-01T00:00:00Z' },
  };
  await context.route('**/console/api/**', async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    const path = pathname.slice('/console/api'.length);
    if (path === '/session') return route.fulfill({ json: session });
    if (!path.startsWith('/v2/')) return route.fulfill({ json: { data: [] } });
    const body = request.postData();
    const answer = await postmesh.api(
      account.key,
      request.method(),
      `${path.replace(/^\/v2\/accounts\/[^/]+/, '{A}')}${search}`,
      {
        ...(body === null ? {} : { rawBody: body }),
      },
    );
    return route.fulfill({ status: answer.status, json: answer.body });
  });
}

const messageId = async (recipient: string): Promise<string | undefined> => {
  const { body } = await postmesh.api(
    account.key,
    'GET',
    `{A}/messages?recipient=${recipient}&status=Delivered,Bounced`,
  );
  return (body as { data: { id: string }[] }).data[0]?.id;
};

describe.skipIf(chromiumPath() === undefined)('the console in a browser', () => {
  beforeAll(async () => {
    account = await postmesh.newAccount();
    browser = await startBrowser(chromiumPath()!);
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages', {
      body: {
        from: { email: `shop@${domain}` },
        recipients: [{ email: 'ann@mail.test' }, { email: 'bounce-bob@mail.test' }],
        ...{ subject: 'Your order', html_content: HOSTILE, text_content: 'Order A-17' },
      },
    });
    expect(sent.status).toBe(202);
  });
  afterAll(() => browser?.close());

  it.each(['light', 'dark'] as const)('opens each page in %s, within its policy', async (colorScheme) => {
    const page = await open({ colorScheme });
    for (const path of PAGES) {
      await page.goto(`${postmesh.url}/console${path}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
    }
    // an address without a contact is answered 404, and shown as such
    expect(problems.filter((text) => !text.includes('404'))).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('fits a phone of 360 px', async () => {
    const page = await open(PHONE);
    for (const path of PAGES) {
      await page.goto(`${postmesh.url}/console${path}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      expect([path, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([
        path,
        0,
      ]);
    }
  });

  it('shows what happened to a message in plain words, two clicks from its address', async () => {
    await eventually(() => messageId('bounce-bob@mail.test')).toBeDefined();
    const page = await open();
    await page.goto(`${postmesh.url}/console/`);
    await page.locator('h1').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('bounce-bob@mail.test');
    await page.keyboard.press('Enter');
    await page
      .getByRole('row', { name: /bounce-bob/ })
      .last()
      .click();
    await page.getByText('Bounced: refused for good').waitFor();
    await page.getByText('There is no such mailbox', { exact: false }).waitFor();
    await page.getByText('550 5.1.1', { exact: false }).first().waitFor();
  });

  it('shows the HTML of a message without running, loading or submitting anything', async () => {
    await eventually(() => messageId('ann@mail.test')).toBeDefined();
    const page = await open();
    await page.goto(`${postmesh.url}/console/messages/${await messageId('ann@mail.test')}`);
    const mail = page.frameLocator('iframe').frameLocator('iframe');
    await mail.getByText('Order A-17').waitFor();
    await mail.getByRole('button', { name: 'Go' }).click();
    await expect.poll(() => foreign).toEqual([]);
    expect(page.url()).toMatch(/\/console\/messages\//);
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
  });

  it('has no key in the browser', async () => {
    const page = await open();
    await page.goto(`${postmesh.url}/console/developers`);
    await page.waitForLoadState('networkidle');
    expect(await page.content()).not.toContain(account.key.secret);
    expect(await page.evaluate('JSON.stringify({ ...localStorage, cookie: document.cookie })')).not.toContain(
      'key',
    );
  });
});
