import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { createTransport } from 'nodemailer';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { Resend } from 'resend';
import type { MemberRole } from '@postmesh/contracts';
import {
  chromiumPath,
  startBrowser,
  startHttpReceiver,
  startOidcProvider,
  type TestOidcProvider,
} from '@postmesh/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CampaignClient } from '../campaign-client.js';
import { barriers } from './browser-page.js';
import { checkDns, publishZone, type ListedRecord } from './dns-zones.js';
import { newChild } from './families.js';
import { holdCampaigns } from './held-account.js';
import { eventually, Postmesh, unique, uniqueDomain, type Account } from './harness.js';
import { CONTRACT_SETTINGS } from './installation-facts.js';
import { fullAccount, type FullAccount } from './two-accounts.js';

// The built pages in a real browser: its cookies, its Origin, its policy, its authenticators.
const postmesh = new Postmesh();
let provider: TestOidcProvider;
let operatorProvider: TestOidcProvider;

// A provider has a free port, which the installation gets to know, and learns where that sends its browsers back.
beforeAll(async () => {
  if (chromiumPath() === undefined) return;
  [provider, operatorProvider] = await Promise.all([startOidcProvider(), startOidcProvider()]);
  await postmesh.start({
    ...CONTRACT_SETTINGS,
    POSTMESH_OIDC_ISSUER: provider.issuer,
    POSTMESH_OIDC_CLIENT_ID: provider.client.id,
    POSTMESH_OIDC_CLIENT_SECRET: provider.client.secret,
    POSTMESH_OIDC_NAME: 'Acme',
    POSTMESH_OIDC_DOMAINS: 'acme.test',
    POSTMESH_OPERATOR_OIDC_ISSUER: operatorProvider.issuer,
    POSTMESH_OPERATOR_OIDC_CLIENT_ID: operatorProvider.client.id,
    POSTMESH_OPERATOR_OIDC_CLIENT_SECRET: operatorProvider.client.secret,
    POSTMESH_OPERATOR_OIDC_NAME: 'Acme',
    POSTMESH_OPERATOR_OIDC_GROUPS: '["mail-operators"]',
  });
  await operatorProvider.open(`${postmesh.credentials.operator_url}/console/sign-in/oidc`);
  await provider.open(`${postmesh.credentials.base_url}/console/sign-in/oidc`);
});
afterAll(async () => {
  await postmesh.leave();
  await Promise.all([provider?.close(), operatorProvider?.close()]);
});

const PAGES = [
  ...['/', '/messages', '/domains', '/webhooks', '/webhooks?tab=routes', '/suppressions', '/developers'],
  ...[
    '/developers?tab=smtp',
    '/developers?tab=requests',
    '/templates',
    '/templates/import',
    '/audience',
    '/audience?tab=lists',
    '/audience?tab=segments',
    '/audience?tab=forms',
    '/audience/import',
    '/suppressions/import',
    '/campaigns',
    '/campaigns?tab=templates',
    '/campaigns/templates/{design}',
  ],
  ...['/statistics', '/settings', '/settings?tab=members', '/settings?tab=sign-in', '/settings?tab=audit'],
  ...['/settings?tab=sub-accounts', '/settings/sub-accounts/{child}', '/about/ann@mail.test'],
  ...['/settings/sub-accounts/{child}?tab=keys', '/settings/sub-accounts/{child}?tab=domains'],
];
/** One thing of each kind. */
const DETAILS = [
  ...['/messages/{message_id}', '/webhooks/{webhook_id}', '/routes/{route_id}', '/campaigns/{campaign_id}'],
  ...['/domains/{domain}', '/domains/{domain}?tab=settings', '/domains/{domain}?tab=hand-over'],
  ...['/templates/{template_id}', '/templates/{template_id}?tab=versions'],
  ...['/campaigns/{campaign_id}?tab=review', '/audience/lists/{list_id}', '/audience/contacts/{contact_id}'],
];
/** Pages that an account without anything has, too. */
const LISTS = PAGES.filter((path) => !path.includes('{'));
/** They read nothing before something is chosen. */
const WITHOUT_READING = new Set(['/audience/import', '/templates/import', '/suppressions/import']);
const LOOKS = [
  ['light', 1280],
  ['dark', 360],
] as const;
const HOSTILE = [
  '<h1 style="color: rgb(200, 0, 0)">Order A-17</h1>',
  '<script>parent.postMessage("ran", "*"); fetch("/console/api/session")</script>',
  '<img src="https://tracker.example/pixel.gif" onerror="top.location = \'https://evil.example\'">',
  '<form action="https://evil.example"><button>Go</button></form>',
].join('');

/** A DMARC report of one day: 88 messages of an address of ours are aligned, 12 of another one are not. */
const reportOf = (domain: string, begin: number): string => {
  const record = (source: string, count: number, dkim: 'pass' | 'fail') =>
    `<record><row><source_ip>${source}</source_ip><count>${count}</count><policy_evaluated><dkim>${dkim}</dkim>
    <spf>fail</spf></policy_evaluated></row><identifiers><header_from>${domain}</header_from></identifiers></record>`;
  return `<feedback><report_metadata><org_name>A receiver</org_name><report_id>${begin}</report_id>
    <date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata>
    <policy_published><domain>${domain}</domain></policy_published>
    ${record('127.0.0.1', 88, 'pass')}${record('203.0.113.9', 12, 'fail')}</feedback>`;
};

let account: Account;
/** a sub-account of it, and a campaign template */
let child: string;
let design: string;
/** an account with a thing of each kind, and one without any */
let full: FullAccount;
let bare: Account;
let browser: Browser;
/** the origin that members see: passkeys need the name of a host */
let origin: string;
/** what the browser complained about, and where it went */
let problems: string[];
let foreign: string[];
const cookies = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();

/** Closed after each test: a page reads events and figures, of which a member may have so many. */
const opened = new Set<BrowserContext>();
afterEach(async () => {
  for (const context of opened) await context.close();
  opened.clear();
});

async function newPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext(options);
  opened.add(context);
  const page = await context.newPage();
  const [itsProblems, itsForeign]: [string[], string[]] = [[], []];
  [problems, foreign] = [itsProblems, itsForeign];
  page.on('pageerror', (error) => itsProblems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') itsProblems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) itsForeign.push(request.url());
  });
  // a request that the policy has stopped has not left the browser
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== 'csp') return;
    const at = itsForeign.indexOf(request.url());
    if (at !== -1) itsForeign.splice(at, 1);
  });
  return page;
}

/** A page of the owner, or of another member. */
async function open(
  options: Parameters<Browser['newContext']>[0] = {},
  email = account.ownerEmail,
): Promise<Page> {
  const known = cookies.get(email);
  if (known) return newPage({ ...options, storageState: known });
  const page = await newPage(options);
  await enter(page, await operatorLink(email));
  cookies.set(email, await page.context().storageState());
  return page;
}

async function operatorLink(email: string): Promise<string> {
  const { status, body } = await postmesh.operator('POST', '/operator/accounts/sign-in-links', { email });
  expect(status).toBe(201);
  return body.url;
}

/** Requests a link on the page, and uses it. @returns the link */
async function enterByMail(page: Page, email: string, used?: string): Promise<string> {
  await visit(page, '/messages?status=Bounced');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByText('a link is on its way', { exact: false }).waitFor();
  const unused = async () => {
    const mails = (await postmesh.messagesTo(email)).filter(({ subject }) => subject.startsWith('Your link'));
    const texts = await Promise.all(mails.map(({ id }) => postmesh.messageText(id)));
    const links = texts.map((text) => /http\S+sign-in\?\S+#\w+/.exec(unfold(text))?.[0]);
    return links.find((link) => link !== used);
  };
  await eventually(unused).toBeDefined();
  const link = (await unused()) ?? '';
  await enter(page, link);
  await page.waitForURL(({ pathname, search }) => pathname + search === '/console/messages?status=Bounced');
  return link;
}

/** A body in quoted-printable. */
const unfold = (text: string): string => text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');

async function enter(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // the navigation is behind a button on a phone
  await page.locator('#content').waitFor();
}

/** @param login left out: the provider knows the browser */
async function logInAtProvider(page: Page, login?: string): Promise<void> {
  if (login !== undefined) await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${origin}/console${path}`);
  await page.locator('h1').waitFor();
  // the stream of the account stays open, so the network is never idle
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
}

async function expectNoBarrier(page: Page): Promise<void> {
  // a colour on its way to another one has no contrast of its own
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
      .map((one) => one.finished),
  ).then(() => undefined)`);
  const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  // a control that is half below the bar of a phone is a small target until the page is scrolled
  await page.evaluate('scrollTo(0, 0)');
  expect([beyond, await barriers(page)]).toEqual([0, []]);
}

/** Its groups are named by their titles, and contain their operations: to a rule that axe calls experimental, a mismatch. */
async function expectReference(page: Page): Promise<void> {
  expect((await barriers(page)).filter(([rule]) => rule !== 'label-content-name-mismatch')).toEqual([]);
  expect([problems, foreign]).toEqual([[], []]);
}

async function newMember(role: MemberRole, domain = 'mail.test'): Promise<string> {
  const email = `${unique('kim')}@${domain}`;
  const made = await postmesh.api(account.key, 'POST', '{A}/members', { body: { email, role } });
  expect(made.status).toBe(201);
  return email;
}

function campaignsOf({ key }: Account, domain: string): CampaignClient {
  const api = async (method: string, to: string, wanted: number, body?: unknown) => {
    const answer = await postmesh.api(key, method, to, { body });
    expect([answer.status, answer.body]).toEqual([wanted, expect.anything()]);
    return answer.body;
  };
  return new CampaignClient(api, `news@${domain}`);
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
    origin = postmesh.credentials.base_url;
    account = await postmesh.newAccount();
    browser = await startBrowser(chromiumPath()!);
    child = (await newChild(postmesh, account)).id;
    const body = { name: 'News', content: { html: '<p>Hello {{ first_name }}</p>' } };
    design = (await postmesh.api(account.key, 'POST', '{A}/campaign-templates', { body })).body.id;
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages', {
      body: {
        from: { email: `shop@${domain}` },
        recipients: [{ email: 'ann@mail.test' }, { email: 'bounce-bob@mail.test' }],
        ...{ subject: 'Your order', html_content: HOSTILE, text_content: 'Order A-17' },
      },
    });
    expect(sent.status).toBe(202);
    [full, bare] = await Promise.all([fullAccount(postmesh, unique('full')), postmesh.newAccount()]);
    const list = await postmesh.api(full.key, 'POST', '{A}/lists', { body: { name: 'News' } });
    const contact = await postmesh.api(full.key, 'POST', '{A}/contacts', {
      body: { email: 'zoe@mail.test' },
    });
    Object.assign(full.ids, { list_id: [list.body.id], contact_id: [contact.body.id] });
  });
  afterAll(() => browser?.close());

  describe.each(LOOKS)('%s and %i wide', (colorScheme, width) => {
    let page: Page;
    beforeAll(async () => {
      page = await open({ colorScheme, viewport: { width, height: 740 } });
      opened.delete(page.context());
    });
    afterAll(() => page?.context().close());

    it.each(PAGES)('%s is within its policy and width, and without a barrier', async (path) => {
      await visit(page, path.replace('{child}', child).replace('{design}', design));
      await expectNoBarrier(page);
      // An address without a contact is answered 404, and shown as such. Statistics are read once a second (spec
      // 1-platform §5): two pages within one get a 429, and the second one reads them again.
      expect(problems.filter((text) => !/\b(404|429)\b/.test(text))).toEqual([]);
      expect(foreign).toEqual([]);
    });
  });

  describe.each(LOOKS)('a thing of each kind, %s and %i wide', (colorScheme, width) => {
    let page: Page;
    beforeAll(async () => {
      page = await open({ colorScheme, viewport: { width, height: 740 } }, full.account.ownerEmail);
      opened.delete(page.context());
    });
    afterAll(() => page?.context().close());

    it.each(DETAILS)('%s is within its policy and width, and without a barrier', async (path) => {
      await visit(
        page,
        path.replace(/\{(\w+)\}/, (_, name: string) => full.ids[name]?.[0] ?? ''),
      );
      await expectNoBarrier(page);
      expect(await page.getByRole('main').getByRole('alert').allInnerTexts()).toEqual([]);
      expect([problems, foreign]).toEqual([[], []]);
    });
  });

  describe('with nothing, light and 360 wide', () => {
    let page: Page;
    beforeAll(async () => {
      page = await open({ colorScheme: 'light', viewport: { width: 360, height: 740 } }, bare.ownerEmail);
      opened.delete(page.context());
    });
    afterAll(() => page?.context().close());

    it.each(LISTS)('%s is within its width, and without a barrier', async (path) => {
      await visit(page, path);
      await expectNoBarrier(page);
      expect(problems.filter((text) => !/\b(404|429)\b/.test(text))).toEqual([]);
    });
  });

  describe('while the server fails, dark and 1280 wide', () => {
    let page: Page;
    beforeAll(async () => {
      page = await open({ colorScheme: 'dark', viewport: { width: 1280, height: 740 } }, bare.ownerEmail);
      opened.delete(page.context());
      // each is read three times before it has failed
      await page.addInitScript(
        'const wait = setTimeout; setTimeout = (run, ms, ...given) => wait(run, ms >= 1_000 ? 1 : ms, ...given);',
      );
      await page.route(/\/console\/api\/(?!session$)/, (route) =>
        route.fulfill({
          status: 500,
          headers: { 'x-request-id': 'failed-request' },
          json: { message: 'internal server error' },
        }),
      );
    });
    afterAll(() => page?.context().close());

    it.each(LISTS.filter((path) => !WITHOUT_READING.has(path)))(
      '%s says so, with the id of the request and another try',
      async (path) => {
        await visit(page, path);
        const alert = page.getByRole('alert').filter({ hasText: 'internal server error' }).first();
        await alert.getByText('failed-request').waitFor();
        await alert.getByRole('button', { name: 'Try again' }).waitFor();
        await expectNoBarrier(page);
        expect(foreign).toEqual([]);
      },
    );
  });

  it('shows what happened to a message in plain words, two clicks from its address', async () => {
    await eventually(() => messageId('bounce-bob@mail.test')).toBeDefined();
    const page = await open();
    await visit(page, '/');
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
    await page.getByText('InvalidRecipient: the mailbox does not exist').waitFor();
    await page.getByText(/^TLSv1\.[23] /).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  it('has a menu of its pages that the keyboard alone reads and follows', async () => {
    const page = await open({ viewport: { width: 1280, height: 740 } });
    await visit(page, '/');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('ArrowUp');
    const last = page.getByRole('option', { name: 'Settings', selected: true });
    await last.waitFor();
    const bottomOf = async (of: Locator) => {
      const box = await of.boundingBox();
      return box ? box.y + box.height : 0;
    };
    const list = await bottomOf(page.getByRole('listbox'));
    await expect.poll(() => bottomOf(last)).toBeLessThanOrEqual(list);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stat');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/statistics');
  });

  it('is where a message of the local mailbox leads', async () => {
    await eventually(() => messageId('ann@mail.test')).toBeDefined();
    const page = await open();
    await page.goto(`${postmesh.credentials.mailbox_url}/?to=ann@mail.test&subject=your order`);
    await page.getByRole('listitem').getByRole('button').first().click();
    const [timeline] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Its timeline' }).click(),
    ]);
    await timeline.getByRole('heading', { name: 'What happened', exact: true }).waitFor();
    expect(timeline.url()).toMatch(/\/console\/messages\/.*recipient=ann%40mail.test$/);
    // the mailbox looks for messages again and again
    await page.context().close();
  });

  it('shows the HTML of a message without running, loading or submitting anything', async () => {
    await eventually(() => messageId('ann@mail.test')).toBeDefined();
    const page = await open();
    await visit(page, `/messages/${await messageId('ann@mail.test')}`);
    const mail = page.frameLocator('iframe').frameLocator('iframe');
    await mail.getByText('Order A-17').waitFor();
    await mail.getByRole('button', { name: 'Go' }).click();
    await expect.poll(() => foreign).toEqual([]);
    expect(page.url()).toMatch(/\/console\/messages\//);
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
  });

  it('pauses a domain, and says what happens to its mail', async () => {
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const page = await open();
    await visit(page, `/domains/${domain}?tab=settings`);
    await page.getByRole('button', { name: 'Pause sending' }).click();
    await page.getByRole('alert').getByText('Mail that was accepted before waits').waitFor();
    const send = () =>
      postmesh.api(account.key, 'POST', '{A}/messages', {
        body: {
          from: { email: `shop@${domain}` },
          recipients: [{ email: 'ann@mail.test' }],
          ...{ subject: 'Hello', text_content: 'Hello' },
        },
      });
    expect((await send()).status).toBe(403);
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume sending' }).click();
    await page.getByRole('button', { name: 'Pause sending' }).waitFor();
    expect((await send()).status).toBe(202);
  });

  it('imports suppressions after a dry run, and leads from one to the message behind it', async () => {
    await eventually(() => messageId('bounce-bob@mail.test')).toBeDefined();
    const page = await open();
    await visit(page, '/suppressions/import');
    const [old, own] = [`${unique('old')}@mail.test`, `${unique('own')}@mail.test`];
    const lines = [{ Recipient: old, 'Suppression Reason': 'Left', created: 1443651141 }, { Recipient: own }];
    const file = (name: string, text: string) =>
      page
        .getByRole('button', { name: 'File' })
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    const asJson = lines.map((line) => JSON.stringify(line)).join('\n');
    await file('list.jsonl', `${asJson}\n{"Recipient":"nobody@x@mail.test"}\nnothing`);
    await page.getByText('no JSON object').waitFor();
    await page.getByLabel('Reason', { exact: true }).fill('List of last year');
    await page.getByRole('button', { name: 'Dry run of 2 rows' }).click();
    const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
    await said('2 new, 0 would be suppressed longer, 0 suppressed already, 2 rejected.');
    await expectNoBarrier(page);
    const [rejected] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save 2 rejected rows as CSV' }).click(),
    ]);
    expect(await readFile(await rejected.path(), 'utf8')).toBe(
      'line,email,reason\r\n4,,no JSON object\r\n3,nobody@x@mail.test,no valid address\r\n',
    );
    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await said('2 suppressed, 0 suppressed longer, 0 unchanged, 2 rejected.');
    await file('list.csv', `email;reason\n${own};Again\n`);
    await page.getByRole('button', { name: 'Dry run of 1 row' }).click();
    await said('0 new, 0 would be suppressed longer, 1 suppressed already, 0 rejected.');
    await visit(page, `/suppressions?q=${own}`);
    await page.getByRole('row').getByText('List of last year').first().waitFor();
    await visit(page, '/suppressions?q=bounce-bob@mail.test');
    await page.getByRole('link', { name: 'Its message' }).click();
    await page.getByText('Bounced: refused for good').waitFor();
  });

  it('imports a file that another service exported, once it knows which one it is', async () => {
    const page = await open();
    await visit(page, '/suppressions/import');
    const email = `${unique('spam')}@mail.test`;
    await page.getByLabel('From', { exact: true }).selectOption('SendGrid');
    const file = (name: string, text: string) =>
      page
        .getByRole('button', { name: 'File' })
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await file('names.csv', 'name\nAnn\n');
    await page.getByRole('alert').getByText('the file has the columns name').waitFor();
    await file(
      'spam.json',
      JSON.stringify([
        { created: 1443651154, email, ip: '10.0.0.1' },
        { created: 1, email: 'x' },
      ]),
    );
    await page.getByLabel('Which file of the service is this?').selectOption('spam_reports');
    await page.getByText('email is not an email address').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Dry run of 1 row' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByRole('status').getByText('1 suppressed, 0 suppressed longer').waitFor();
    await visit(page, `/suppressions?q=${email}`);
    await page.getByRole('row').getByText('FBL Complaint Report').first().waitFor();
  });

  it('imports contacts of another service with their consent, lists and attributes, after a dry run', async () => {
    const page = await open();
    await visit(page, '/audience/import');
    const [ann, bob, list] = [`${unique('ann')}@mail.test`, `${unique('bob')}@mail.test`, unique('News')];
    const lists = [{ name: list, subscription_status: 'confirmed' }];
    const results = [
      { uuid: '1', email: ann, name: 'Ann Lee', status: 'enabled', attribs: { [unique('a')]: 7 }, lists },
      { uuid: '2', email: bob, name: 'Bob', status: 'blocklisted', attribs: {}, lists },
      { uuid: '3', email: 'nonsense', name: '', status: 'enabled', attribs: {}, lists },
    ];
    await page.getByLabel('From', { exact: true }).selectOption('listmonk');
    await page.getByRole('button', { name: 'File' }).setInputFiles({
      ...{ name: 'subscribers.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify({ data: { results } })),
    });
    await page.getByText('The file is: api.').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Dry run of 3 rows' }).click();
    const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
    await said('2 new, 0 would be updated, 0 unchanged, 1 rejected.');
    await page.getByText('subscribed: 1, blocked: 1').waitFor();
    await page.getByText(`${list}: 1`).waitFor();
    await expectNoBarrier(page);
    const [rejected] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save 1 rejected row as CSV' }).click(),
    ]);
    expect(await readFile(await rejected.path(), 'utf8')).toBe(
      'line,email,reason\r\n3,nonsense,email is not an email address\r\n',
    );
    await page.getByRole('button', { name: 'Import 2 contacts' }).click();
    await said('2 created, 0 updated, 0 unchanged, 1 rejected.');
    const found = async (email: string) =>
      (await postmesh.api(account.key, 'GET', `{A}/contacts/${email}`)).body;
    expect(await found(ann)).toMatchObject({ first_name: 'Ann', status: 'enabled' });
    expect(Object.values((await found(ann)).attributes)).toEqual([7]);
    expect(await found(bob)).toMatchObject({ status: 'blocked' });
    const { body } = await postmesh.api(account.key, 'GET', `{A}/lists?name=${list}`);
    expect(body.data).toMatchObject([{ name: list, contact_count: 1 }]);
  });

  it('imports templates of another service as drafts, and names what cannot be translated', async () => {
    const page = await open();
    await visit(page, '/templates');
    await page.getByRole('link', { name: 'Import' }).click();
    await page.getByLabel('From', { exact: true }).selectOption('SendGrid');
    const [good, bad] = [unique('Receipt'), unique('Broken')];
    const template = (name: string, html_content: string) => ({
      ...{ name, versions: [{ active: 1, subject: 'Order {{id}}', html_content, plain_content: '' }] },
    });
    const file = {
      ...{ name: 'templates.json', mimeType: 'application/json' },
      buffer: Buffer.from(
        JSON.stringify([template(good, '<p>{{name}}</p>'), template(bad, '<p>\n{{> footer}}</p>')]),
      ),
    };
    await page.getByRole('button', { name: 'File' }).setInputFiles(file);
    const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
    await said('1 new, 0 unchanged, 1 left out.');
    await page.getByText('html, line 2: partials').waitFor();
    await expectNoBarrier(page);
    const [problemsFile] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save problems of 1 template as CSV' }).click(),
    ]);
    expect(await readFile(await problemsFile.path(), 'utf8')).toContain(`${bad},html,2,`);
    await page.getByRole('button', { name: 'Create 1 draft' }).click();
    await said('1 created, 0 unchanged, 1 left out.');
    await page.getByRole('button', { name: 'File' }).setInputFiles(file);
    await said('0 new, 1 unchanged, 1 left out.');
    await visit(page, '/templates');
    await page.getByRole('row').getByText(good).waitFor();
  });

  it('resumes a campaign that a member has paused, and cancels one that waits', async () => {
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const campaigns = campaignsOf(account, domain);
    const limited = (daily_limit: number | 'default') =>
      postmesh.operator('PUT', `/operator/marketing/accounts/${account.id}/marketing`, { daily_limit });
    const list = await campaigns.list([1, 2].map((n) => `${unique(`n${n}`)}@mail.test`));
    expect((await limited(1)).status).toBe(200);
    const id = await campaigns.campaign([list]);
    await campaigns.send(id);
    await eventually(async () => (await campaigns.read(id)).status).toBe('paused');
    await postmesh.sql(
      `update marketing.campaigns set pause_cause = 'member', status_reason = 'paused by a member' where id = $1`,
      [id],
    );
    expect((await limited('default')).status).toBe(200);
    const page = await open();
    await visit(page, `/campaigns/${id}`);
    await page.getByRole('status').getByText('paused by a member').waitFor();
    await page.getByRole('button', { name: 'Continue sending' }).click();
    await page.getByText('2 of 2 recipients handed over').waitFor();
    expect((await limited(1)).status).toBe(200);
    const other = await campaigns.campaign([list]);
    await campaigns.send(other);
    await eventually(async () => (await campaigns.read(other)).status).toBe('paused');
    await visit(page, `/campaigns/${other}`);
    await page.getByRole('button', { name: 'Cancel campaign' }).click();
    const dialog = page.getByRole('dialog', { name: /^Cancel / });
    await dialog.waitFor();
    await expectNoBarrier(page);
    await dialog.getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByText('canceled by a member').waitFor();
    await limited('default');
  });

  it('pauses a campaign while it is sent, and takes that back', async () => {
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const campaigns = campaignsOf(account, domain);
    const id = await campaigns.campaign([await campaigns.list([`${unique('reader')}@mail.test`])]);
    const page = await open();
    const held = await holdCampaigns(postmesh);
    try {
      await campaigns.send(id);
      await eventually(async () => (await campaigns.read(id)).status).toBe('sending');
      await visit(page, `/campaigns/${id}`);
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByRole('status').getByText('paused by a member').waitFor();
      expect((await campaigns.read(id)).status).toBe('paused');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    } finally {
      await held.release();
    }
    await page.getByText('1 of 1 recipient handed over').waitFor();
  });

  it('makes a campaign template of blocks, copies it, and begins a campaign with it', async () => {
    const name = unique('Newsletter');
    const page = await open();
    await visit(page, '/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('campaign t');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/campaigns?tab=templates');
    await page.getByRole('button', { name: 'Create campaign template' }).click();
    const form = page.getByRole('dialog', { name: 'Create campaign template' });
    await form.getByLabel('Name').fill(name);
    await form.getByRole('button', { name: 'Create campaign template' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const mail = page.frameLocator('iframe').frameLocator('iframe');
    await mail.getByText('Hello there,').waitFor();
    await page.getByRole('button', { name: 'Text Hello' }).click();
    await page.getByRole('textbox', { name: 'Words' }).fill('News for {{ first_name|default("you") }}');
    await mail.getByText('News for you').waitFor();
    await page.getByText('All changes are saved.').waitFor();
    await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
    await page.getByRole('heading', { name: `Copy of ${name}`, level: 1 }).waitFor();
    await mail.getByText('News for you').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Use in a new campaign' }).click();
    const campaign = page.getByRole('dialog', { name: 'Create campaign' });
    await campaign.getByLabel('Name').fill('June');
    await campaign.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByRole('heading', { name: 'June', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Text News' }).waitFor();
    await mail.getByText('News for you').waitFor();
    await visit(page, '/campaigns?tab=templates');
    await page.getByRole('row', { name: `Copy of ${name}` }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/console/campaigns?tab=templates');
    await page.goto('about:blank');
    const names = async () =>
      (await postmesh.api(account.key, 'GET', `{A}/campaign-templates?name=${name}`)).body.data.length;
    await eventually(names).toBe(1);
  });

  it('says on Home which provider mail waits for, and on the page of a message until when', async () => {
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();
    const recipient = `${unique('later')}@mail.test`;
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages/conversation', {
      body: {
        ...{ from: { email: `shop@${domain}` }, to: [{ email: recipient }], subject: 'Later' },
        ...{ text_content: 'Later', schedule: { first_attempt: minutes(20) } },
      },
    });
    expect(sent.status).toBe(202);
    const [{ id }] = (sent.body as { data: [{ id: string }] }).data;
    const page = await open();
    await visit(page, `/messages/${encodeURIComponent(id)}`);
    await page.getByRole('status').getByText('Waits for the time that was asked for').waitFor();
    await page.getByRole('status').getByText('Next attempt at').waitFor();
    // a group of hosts that no other message goes to, suspended as after a reply
    const group = `m:${unique('held')}`;
    const cause = { code: 421, enhanced: '4.7.28', text: 'slow down', host: 'mx.held.test', at: Date.now() };
    const moved = () =>
      postmesh.sql(
        `update delivery_worker.deliveries set group_key = $1 where account_id = $2 and recipient = $3 returning id`,
        [group, account.id, recipient],
      );
    await eventually(moved).toHaveLength(1);
    await postmesh.sql(
      `insert into delivery_worker.shaping_state (group_key, source, version, connections, window_from, changed_at, suspended_until, cause)
       values ($1, '', 1, 1, now(), now(), now() + interval '1 hour', $2)`,
      [group, { ...cause, did: 'suspended' }],
    );
    try {
      // a worker reads the changes of others every five seconds
      const seen = async () => {
        await visit(page, '/');
        return page.getByText('mx.held.test takes no mail from this installation until').count();
      };
      await eventually(seen).toBe(1);
      expect(await barriers(page)).toEqual([]);
      await visit(page, `/messages/${encodeURIComponent(id)}`);
      await page.getByText('The recipient’s provider takes nothing from this installation').waitFor();
      await page.getByText('mx.held.test slowed down us (421 4.7.28', { exact: false }).waitFor();
    } finally {
      await postmesh.sql('delete from delivery_worker.shaping_state where group_key = $1', [group]);
    }
  });

  it('shows the call of a webhook with its answer, and repeats it', async () => {
    const receiver = await startHttpReceiver();
    try {
      receiver.respondWith({ body: 'thanks' });
      const hook = { name: 'shop', url: `${receiver.url}/hook`, scope: 'global', on_dns_error: true };
      const { body } = await postmesh.api(account.key, 'POST', '{A}/webhooks', { body: hook });
      const page = await open();
      await visit(page, `/webhooks/${body.id}`);
      await page.getByRole('button', { name: 'Send example' }).click();
      const [first] = await receiver.waitFor(1);
      await page.getByRole('button', { name: 'domain.dns_error' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('thanks').waitFor();
      await dialog.getByText(String(first?.headers['webhook-id'])).first().waitFor();
      expect(await barriers(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Repeat this call' }).click();
      const [, again] = await receiver.waitFor(2);
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    } finally {
      await receiver.close();
    }
  });

  it('has the calls of webhooks in the timeline of their message, which its tag finds', async () => {
    const receiver = await startHttpReceiver();
    try {
      receiver.respondWith({ body: 'thanks' });
      const domain = await postmesh.verifiedDomain(account, uniqueDomain());
      const hook = { name: 'shop', url: `${receiver.url}/hook`, scope: 'scoped', domains: [domain] };
      const made = await postmesh.api(account.key, 'POST', '{A}/webhooks', {
        body: { ...hook, on_delivered: true },
      });
      expect(made.status).toBe(201);
      const [recipient, tag] = [`${unique('called')}@mail.test`, unique('tag')];
      const sent = await postmesh.api(account.key, 'POST', '{A}/messages', {
        body: {
          ...{ from: { email: `shop@${domain}` }, recipients: [{ email: recipient }], tags: [tag] },
          ...{ subject: 'Called', text_content: 'Called' },
        },
      });
      expect(sent.status).toBe(202);
      await eventually(() => messageId(recipient)).toBeDefined();
      const page = await open({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
      await visit(page, `/messages/${await messageId(recipient)}`);
      const call = page.getByRole('listitem').filter({ hasText: 'Webhook “shop”: message.delivered' });
      await call.getByText('Succeeded').waitFor();
      await expectNoBarrier(page);
      await call.getByRole('button', { name: 'Show the call' }).click();
      await page.getByRole('dialog').getByText('thanks').waitFor();
      await expectNoBarrier(page);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: tag }).click();
      await page.waitForURL(`**/console/messages?tags=${tag}`);
      await page.getByText('1 row').waitFor();
      await page.getByRole('button', { name: `Remove the filter Tag ${tag}` }).click();
      await page.getByRole('searchbox').fill(`tag:${tag}`);
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(`**/console/messages?tags=${tag}`);
      // on a phone, too, a call has its whole name
      await visit(page, `/webhooks/${made.body.id}`);
      const name = page.getByRole('row').getByRole('button', { name: 'message.delivered' });
      expect((await name.boundingBox())?.width).toBeGreaterThan(100);
      await expectNoBarrier(page);
      expect([problems, foreign]).toEqual([[], []]);
    } finally {
      await receiver.close();
    }
  });

  it('makes a webhook with the calls of another service, and the secret that its receiver has', async () => {
    const receiver = await startHttpReceiver();
    try {
      const page = await open();
      await visit(page, '/webhooks');
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Name').fill('from another service');
      await form.getByLabel('URL').fill(`${receiver.url}/hook`);
      await form.getByLabel('Form of the calls').selectOption('Resend');
      const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
      await form.getByLabel('Secret of the receiver').fill(secret);
      expect(await barriers(page)).toEqual([]);
      await form.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByRole('dialog').getByText(secret).waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('from another service').first().click();
      await page.getByText('Resend', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send example' }).click();
      const [call] = await receiver.waitFor(1);
      const payload = call!.body.toString();
      const [id, timestamp, signature] = ['svix-id', 'svix-timestamp', 'svix-signature'].map((name) =>
        String(call!.headers[name]),
      ) as [string, string, string];
      const headers = { id, timestamp, signature };
      const verified = new Resend('re_none').webhooks.verify({ payload, headers, webhookSecret: secret });
      expect(verified).toMatchObject({ type: 'email.delivered' });
    } finally {
      await receiver.close();
    }
  });

  it('shows a new message without being asked, and lists those of the address', async () => {
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const page = await open();
    const live = page.waitForResponse(/\/console\/api\/events$/);
    await visit(page, '/messages?address=live-');
    expect((await live).status()).toBe(200);
    const recipient = `${unique('live')}@mail.test`;
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages', {
      body: {
        from: { email: `shop@${domain}` },
        recipients: [{ email: recipient }],
        ...{ subject: 'Live', text_content: 'Live' },
      },
    });
    expect(sent.status).toBe(202);
    await page.getByText(recipient).waitFor();
  });

  it('signs in by a mailed link and by a passkey, which a deletion then asks for', async () => {
    const email = await newMember('Administrator');
    const page = await newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    const link = await enterByMail(page, email);
    await visit(page, '/settings?tab=sign-in');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Remove the passkey' }).waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await visit(page, '/domains');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('navigation').waitFor();
    await page.waitForURL('**/console/domains');
    // a page that is open when its session ends leads to the sign-in with its next read
    await visit(page, '/messages');
    await page.context().clearCookies();
    await page.getByRole('navigation').getByRole('link', { name: 'Domains' }).click();
    await page.getByRole('button', { name: 'Mail me a link' }).waitFor();
    await enterByMail(page, email, link);
    await visit(page, '/settings?tab=sign-in');
    const confirmed = page.waitForResponse(/\/session\/confirmation$/);
    await page.getByRole('button', { name: 'Remove the passkey' }).click();
    expect((await confirmed).status()).toBe(200);
    await page.getByText('No passkey yet.').waitFor();
  });

  it('signs in at the provider, back to the page that was asked for, and there again before a change', async () => {
    const email = await newMember('Administrator', 'acme.test');
    const page = await newPage();
    await visit(page, '/settings?tab=members');
    await page.getByText('Mail me a link').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    // known to the provider, and a member of no account here
    await logInAtProvider(page, 'stranger@acme.test');
    await page.getByRole('alert').getByText('is not a member of an account here').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.context().clearCookies();
    await visit(page, '/settings?tab=members');
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await logInAtProvider(page, email);
    await page.waitForURL(`${origin}/console/settings?tab=members`);
    await page.getByRole('button', { name: 'Invite a member' }).click();
    const invited = `${unique('lee')}@acme.test`;
    const form = page.getByRole('dialog', { name: 'Invite a member' });
    await form.getByLabel('Address').fill(invited);
    await form.getByRole('button', { name: 'Invite a member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor();
    expect(await barriers(page)).toEqual([]);
    const [second] = await Promise.all([
      page.waitForEvent('popup'),
      dialog.getByRole('button', { name: 'Sign in with Acme' }).click(),
    ]);
    await logInAtProvider(second);
    await page.getByText(`An invitation is on its way to ${invited}.`).waitFor();
    if (!second.isClosed()) await second.waitForEvent('close');
  });

  it('makes a sub-account, limits, suspends, opens and closes it', async () => {
    // a session of its own, which is in another account for a while
    const page = await newPage();
    await enter(page, await operatorLink(account.ownerEmail));
    await visit(page, '/settings?tab=sub-accounts');
    await page.getByRole('button', { name: 'Create sub-account' }).click();
    const form = page.getByRole('dialog', { name: 'Create sub-account' });
    const name = unique('Customer');
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('Website').fill('customer.example.com');
    await form.getByRole('button', { name: 'Create sub-account' }).click();
    await page.getByRole('row', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByLabel('Monthly credit').fill('500');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 500').waitFor();
    await page.getByRole('button', { name: 'Suspend' }).click();
    const why = page.getByRole('dialog', { name: 'Suspend' });
    await why.getByLabel('Reason').fill('an unpaid invoice');
    expect(await barriers(page)).toEqual([]);
    await why.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'End suspension' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    const ofPage = page.url();
    await page.getByRole('button', { name: 'Open' }).click();
    await page.waitForURL('**/console/');
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: account.name }).click();
    await page.getByRole('button', { name: account.name }).waitFor();
    await page.goto(ofPage);
    await page.getByRole('button', { name: 'Close' }).click();
    const last = page.getByRole('dialog', { name: 'Close' });
    const close = last.getByRole('button', { name: 'Close' }).last();
    expect(await close.isDisabled()).toBe(true);
    await last.getByLabel('Its name, to be sure').fill(name);
    await close.click();
    await page.waitForURL('**/console/settings?tab=sub-accounts');
    await expect.poll(() => page.getByRole('row', { name }).count()).toBe(0);
  });

  it('makes a key of a sub-account, and ends the pause of its domain', async () => {
    const sub = await newChild(postmesh, account);
    const domain = await postmesh.verifiedDomain(sub, uniqueDomain());
    const path = `/operator/domains/accounts/${sub.id}/domains/${domain}/pause`;
    expect((await postmesh.operator('POST', path, { reason: 'a test' })).status).toBe(200);
    const page = await open();
    await visit(page, `/settings/sub-accounts/${sub.id}?tab=keys`);
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    const label = unique('shop');
    await form.getByLabel('Label').fill(label);
    expect(await form.getByText('sub-accounts:read').count()).toBe(0);
    await form.getByRole('button', { name: 'Create API key' }).click();
    const shown = page.getByRole('dialog', { name: `The key “${label}” is created` });
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('row', { name: label }).waitFor();
    const { body } = await postmesh.api(sub.key, 'GET', '{A}/api-keys');
    expect(body.data).toContainEqual(expect.objectContaining({ label, account_id: sub.id }));
    await page.getByRole('tab', { name: 'Domains' }).click();
    await page.getByText('1 domain.').waitFor();
    await page.getByLabel('Domain', { exact: true }).fill(domain);
    await page.getByRole('button', { name: 'End a pause' }).click();
    await page.getByText(`${domain} sends again`, { exact: false }).waitFor();
    expect((await postmesh.api(sub.key, 'GET', `{A}/domains/${domain}`)).body.paused).toBe(false);
  });

  it('deletes a list after a time to undo it, and at once when the page is left', async () => {
    const name = unique('List');
    const made = await postmesh.api(account.key, 'POST', '{A}/lists', { body: { name } });
    const page = await open();
    await visit(page, `/audience/lists/${made.body.id}`);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`“${name}” is being deleted.`).waitFor();
    await page.goto('about:blank');
    await eventually(
      async () => (await postmesh.api(account.key, 'GET', `{A}/lists/${made.body.id}`)).status,
    ).toBe(404);
  });

  it('shows a role what it may read', async () => {
    const billing = await open({}, await newMember('Billing Manager'));
    await visit(billing, '/');
    expect(await billing.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'Home',
      'Settings',
    ]);
    const analyst = await open({}, await newMember('Analyst'));
    await visit(analyst, `/messages/${await messageId('ann@mail.test')}`);
    await analyst.getByText('Your role does not read the content of messages.').waitFor();
    expect(await analyst.content()).not.toContain('Order A-17');
  });

  it('names the port at which this installation takes submissions', async () => {
    const page = await open();
    await visit(page, '/developers?tab=smtp');
    const { host, port } = postmesh.credentials.smtp;
    await page.getByText(`swaks --server ${host} --port ${port} --tls`, { exact: false }).waitFor();
  });

  it('shows a request that was refused, and finds it by filter and by its id', async () => {
    const path = `{A}/messages?limit=0&recipient=${unique('secret')}@mail.test`;
    const refused = await postmesh.api(account.key, 'GET', path);
    expect(refused.status).toBe(400);
    const page = await open();
    await visit(page, '/developers?tab=requests');
    await page.getByLabel('Status').selectOption('4xx');
    await page.waitForURL('**/developers?*status=4xx*');
    await page
      .getByRole('row', { name: /limit must be between 1 and 100/ })
      .first()
      .click();
    const id = String(refused.headers['x-request-id']);
    await page.getByText(id, { exact: true }).waitFor();
    await page.getByText('/messages?limit=…&recipient=…', { exact: false }).first().waitFor();
    expect(await page.content()).not.toContain('secret');
    await expectNoBarrier(page);
    await visit(page, '/developers?tab=requests&status=5xx');
    await page.getByText('No refused request fits these filters.').waitFor();
    await page.getByRole('searchbox').fill(id);
    await page.getByRole('searchbox').press('Enter');
    await page.waitForURL(`**/developers/requests/${id}`);
    await page.getByText('GET /v2/accounts/{account_id}/messages', { exact: true }).waitFor();
    const analyst = await open({}, await newMember('Analyst'));
    await visit(analyst, '/developers');
    await analyst.getByRole('tab', { name: 'SMTP' }).waitFor();
    expect(await analyst.getByRole('tab', { name: 'Request log' }).count()).toBe(0);
  });

  it('exports all pages of the suppressions as a file that no spreadsheet runs', async () => {
    const addresses = Array.from({ length: 101 }, (_, at) => `=r${at}@mail.test`);
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    for (const email of addresses) {
      const body = { email, domain, expires_at: '9999-12-31T23:59:59Z', reason: 'asked, by phone' };
      expect((await postmesh.api(account.key, 'POST', '{A}/suppressions', { body })).status).toBe(201);
    }
    const page = await open();
    await visit(page, '/suppressions');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(lines[0]).toBe('email,domain,reason,created_at,expires_at');
    for (const email of addresses)
      expect(lines.filter((line) => line.startsWith(`'${email},${domain},`))).toHaveLength(1);
    await page.getByRole('row', { name: addresses[100]! }).getByRole('button').click();
    await page.getByText('may get mail again', { exact: false }).waitFor();
  });

  /** Shows the records of a domain as unpublished: the local internet publishes each at once. */
  const showUnpublished = (page: Page, domain: string) =>
    page.route(
      ({ pathname }) => pathname.includes(`/accounts/`) && pathname.includes(`/domains/${domain}`),
      async (route) => {
        const response = await route.fetch();
        const made = (await response.json()) as { dns_records: object[] };
        const dns_records = made.dns_records.map((record) => ({ ...record, propagated: false }));
        await route.fulfill({ response, json: { ...made, dns_records } });
      },
    );

  it('shows a record as resolvers see it, next to the one that is wanted, with what helps', async () => {
    const domain = uniqueDomain();
    const made = await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } });
    expect(made.status).toBe(201);
    const { dns_records: records } = made.body as { dns_records: ListedRecord[] };
    const spoilt = records.map((one) =>
      one.label === 'Return-Path' ? { ...one, content: 'rp.else.test' } : one,
    );
    await publishZone(postmesh, domain, { records: spoilt });
    await checkDns(postmesh, account, domain);
    const page = await open({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
    await visit(page, `/domains/${domain}`);
    const record = page.getByRole('listitem').filter({ hasText: 'Return-Path' });
    await record.getByText(/^CNAME .* → rp\.else\.test/).waitFor();
    await record.getByText(/^Change the CNAME of /).waitFor();
    expect(await page.getByText('not seen yet').count()).toBe(1);
    await expectNoBarrier(page);
    await publishZone(postmesh, domain, { records });
    await checkDns(postmesh, account, domain);
    await page.reload();
    await page.getByText('All required records are in the DNS.').waitFor();
    await expect.poll(() => record.getByText('rp.else.test').count()).toBe(0);
    await page.getByRole('link', { name: 'Messages' }).last().click();
    await page.waitForURL(({ searchParams }) => searchParams.get('address') === `@${domain}`);
  });

  it('leads to the DNS host of a domain, where that publishes the missing records', async () => {
    const domain = uniqueDomain();
    expect((await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
    const page = await open();
    await page.setViewportSize({ width: 360, height: 740 });
    // no DNS host of the local internet has a template
    await showUnpublished(page, domain);
    const answered = page.waitForResponse(/\/setup-link$/);
    await visit(page, `/domains/${domain}`);
    const none = (await (await answered).json()) as { reason: string; changes: object[] };
    expect(none.reason).toBe('not_configured');
    const button = page.getByRole('link', { name: 'Continue at Example DNS' });
    expect(await button.count()).toBe(0);
    const url = 'https://dns.example/apply?sig=x';
    await page.route('**/setup-link', (route) =>
      route.fulfill({ json: { ...none, url, reason: null, dns_host: 'Example DNS' } }),
    );
    await visit(page, `/domains/${domain}`);
    await button.waitFor();
    const attributes = ['href', 'target', 'rel'].map((name) => button.getAttribute(name));
    expect(await Promise.all(attributes)).toEqual([url, '_blank', 'noopener noreferrer']);
    await page.getByText(`the ${none.changes.length} missing records`, { exact: false }).waitFor();
    await expectNoBarrier(page);
    expect([problems, foreign]).toEqual([[], []]);
  });

  it('writes the records of a domain at its DNS host, and names those that are left to the owner', async () => {
    const domain = uniqueDomain();
    expect((await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
    const page = await open();
    await page.setViewportSize({ width: 360, height: 740 });
    await showUnpublished(page, domain);
    const row = {
      type: 'TXT',
      host: domain,
      content: 'v=spf1 include:a.test include:b.test ~all',
      reason: null,
    };
    const spf = { ...row, label: 'SPF', step: 'merged', found: ['"v=spf1 include:a.test ~all"'] };
    const mx = {
      ...row,
      label: 'MX',
      type: 'MX',
      step: 'refused',
      found: ['10 mx.a.test'],
      reason: 'mx_elsewhere',
    };
    const difference = {
      object: 'dns_changes',
      domain,
      zone: domain,
      host: 'desec',
      trouble: null,
      detail: null,
    };
    const before = { ...difference, digest: 'of-this', written: 0, records: [spf, mx] };
    const after = { ...before, digest: null, written: 1, records: [{ ...spf, step: 'present' }, mx] };
    const sent: unknown[] = [];
    await page.route('**/dns-changes', async (route) => {
      const isWrite = route.request().method() === 'POST';
      if (isWrite) sent.push(route.request().postDataJSON());
      await route.fulfill({ json: isWrite ? after : before });
    });
    await visit(page, `/domains/${domain}`);
    const panel = page.getByRole('region', { name: `${domain} at deSEC` });
    await panel.getByText('+ v=spf1 include:a.test include:b.test ~all').waitFor();
    await panel.getByText('Mail for this name goes to another server', { exact: false }).waitFor();
    await expectNoBarrier(page);
    await panel.getByRole('button', { name: 'Write 1 record' }).click();
    await page.getByText('1 record is written.').waitFor();
    expect(sent).toEqual([{ digest: 'of-this' }]);
    expect(await panel.getByRole('button').count()).toBe(0);
    await visit(page, `/domains/${domain}?tab=settings`);
    await page.getByRole('button', { name: 'Add a token' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('DNS host').selectOption('route53');
    await form.getByLabel('Access key ID').waitFor();
    expect(await form.getByLabel('Secret access key').getAttribute('type')).toBe('password');
    await expectNoBarrier(page);
    expect([problems, foreign]).toEqual([[], []]);
  });

  it('shows what receivers report about a domain, with the cause and what helps', async () => {
    const domain = uniqueDomain();
    expect((await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
    await eventually(
      async () => (await postmesh.api(account.key, 'POST', `{A}/domains/${domain}/check-dns`)).body.dns_valid,
    ).toBe(true);
    const page = await open({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    const answered = page.waitForResponse(/\/report-records$/);
    await visit(page, `/domains/${domain}?tab=reports`);
    const { address } = (await (await answered).json()) as { address: string };
    await page.getByText('No report yet').waitFor();
    await page.getByText('SMTP TLS', { exact: true }).waitFor();
    await page.getByText(address, { exact: false }).first().waitFor();
    await expectNoBarrier(page);
    // the domain itself is a writer whose SPF allows this machine
    const today = Math.floor(Date.now() / 86_400_000) * 86_400;
    const transport = createTransport({
      host: '127.0.0.1',
      port: postmesh.credentials.smtp.mx_port,
      tls: { rejectUnauthorized: false },
    });
    await transport.sendMail({
      envelope: { from: `noreply@${domain}`, to: address },
      from: `noreply@${domain}`,
      to: address,
      subject: `Report domain: ${domain}`,
      attachments: [
        {
          filename: 'report.xml.gz',
          contentType: 'application/gzip',
          content: gzipSync(reportOf(domain, today)),
        },
      ],
    });
    transport.close();
    await page.reload();
    await page.getByText('12 % of mail at', { exact: false }).waitFor();
    await page.getByText('which is not one of ours and not in your SPF', { exact: false }).waitFor();
    await page.getByText('Less mail of this domain is aligned than expected', { exact: false }).waitFor();
    await page.getByRole('rowheader', { name: '203.0.113.9' }).waitFor();
    await expectNoBarrier(page);
    await visit(page, '/');
    await page.getByText(`of the mail of ${domain} is aligned, less than expected`, { exact: false }).click();
    await page.waitForURL(`**/domains/${domain}?tab=reports`);
    expect([problems, foreign]).toEqual([[], []]);
  });

  it('leads from a reply to the check of the doctor that explains it', async () => {
    const page = await open();
    await page.setViewportSize({ width: 360, height: 740 });
    await eventually(() => messageId('bounce-bob@mail.test')).toBeDefined();
    const id = (await messageId('bounce-bob@mail.test')) ?? '';
    // the replies of the local internet are about mailboxes; the table of replies has tests of its own
    await page.route('**/attempts?*', async (route) => {
      const given = (await (await route.fetch()).json()) as { data: object[] };
      await route.fulfill({ json: { ...given, data: given.data.map((one) => ({ ...one, check: 'ptr' })) } });
    });
    const figures = [{ figure: 'spam_rate', value: 0.0012, day: '2026-11-25' }];
    const view = { provider: 'gmail', source: 'Gmail Postmaster Tools', trouble: null, figures };
    await page.route('**/doctor', async (route) => {
      const given = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...given, views: [{ ...view, read_at: new Date().toISOString() }] } });
    });
    await visit(page, `/messages/${encodeURIComponent(id)}?recipient=bounce-bob@mail.test`);
    await page.getByRole('link', { name: 'See “Reverse DNS of sending addresses” at the doctor' }).click();
    const check = page.getByRole('listitem').filter({ hasText: 'No public address is known' }).first();
    await check.waitFor();
    await expect.poll(() => check.getAttribute('aria-current')).toBe('true');
    await page
      .getByText('No faults and', { exact: false })
      .or(page.getByText(/\d+ faults?, /))
      .waitFor();
    await page
      .getByRole('region', { name: 'Gmail', exact: true })
      .getByText('SPF or DKIM for the domain')
      .waitFor();
    await page.getByRole('region', { name: 'Figures of Gmail' }).getByText('0.12 % (2026-11-25)').waitFor();
    await expectNoBarrier(page);
    // what the frame of the message blocks is no problem of the pages
    expect([problems.filter((problem) => !problem.endsWith('about:srcdoc')), foreign]).toEqual([[], []]);
  });

  it('has a reference of the API, with samples in five languages and the calls of webhooks', async () => {
    const page = await newPage({ viewport: { width: 1280, height: 800 } });
    // axe reads the whole document for a minute; its page with all operations is a stop of the newcomer's way
    await page.route('**/openapi.json', async (route) => {
      const document = (await (await route.fetch()).json()) as { paths: Record<string, object> };
      const paths = Object.entries(document.paths).filter(([path]) => /\/(messages|webhooks)$/.test(path));
      await route.fulfill({ json: { ...document, paths: Object.fromEntries(paths) } });
    });
    await page.goto(`${origin}/docs#tag/Messages/operation/messages.send`);
    const operation = page.locator('[id="tag/Messages/operation/messages.send"]');
    for (const language of ['curl', 'Node.js', 'Python', 'Go', 'PHP']) {
      await operation.getByRole('tab', { name: language, exact: true }).click();
      const sample = operation.getByRole('tabpanel', { name: language, exact: true }).locator('pre');
      await expect.poll(() => sample.innerText()).toContain(`${origin}/v2/accounts/ACCOUNT_ID/messages`);
      expect(await sample.innerText()).toContain('Bearer POSTMESH_API_KEY');
    }
    await page.getByRole('menuitem', { name: 'Webhooks', exact: true }).click();
    await page
      .getByRole('menuitem', { name: /A message bounced/ })
      .last()
      .click();
    await page.getByRole('heading', { name: 'A message bounced' }).waitFor();
    await expectReference(page);
    await page.unroute('**/openapi.json');
    await page.goto(`${origin}/docs/console`);
    await page.getByRole('heading', { name: /^Postmesh console/ }).waitFor();
    await page.getByRole('menuitem', { name: 'Deliveries', exact: true }).waitFor();
    expect([problems, foreign]).toEqual([[], []]);
  });

  it('shows the figures of the messages with a tag, and of each mailbox provider', async () => {
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const tag = unique('tag');
    const content = { subject: 'Tagged', text_content: 'Tagged', tags: [tag] };
    const recipients = [{ email: `${unique('a')}@mail.test` }, { email: `${unique('b')}@mail.test` }];
    const body = { from: { email: `shop@${domain}` }, recipients, ...content };
    expect((await postmesh.api(account.key, 'POST', '{A}/messages', { body })).status).toBe(202);
    const path = `{A}/statistics/transactional/deliverability?tags=${tag}`;
    const accepted = async () =>
      (await postmesh.api(account.key, 'GET', path)).body.data?.reduce(
        (sum: number, one: { reception_count: number }) => sum + one.reception_count,
        0,
      );
    await eventually(accepted).toBe(2);
    const page = await open();
    await visit(page, '/statistics');
    await page.getByLabel('Tag').fill(tag);
    await page.getByLabel('Tag').press('Enter');
    await page.waitForURL(`**/console/statistics?*tag=${tag}`);
    await page.locator('dt:text-is("Accepted") + dd:text-is("2")').waitFor();
    // other figures have no tags; by provider, the two are there once both were given to their host
    await page.getByText('are counted without tags', { exact: false }).waitFor();
    await eventually(async () => {
      await visit(page, `/statistics?domain=${domain}`);
      return page.getByRole('row', { name: /^All others 2 100 % / }).count();
    }).toBe(1);
    await expectNoBarrier(page);
    const providers = page.getByRole('region', { name: 'By mailbox provider' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      providers.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(lines[0]).toBe(
      'provider,delivered_count,deferred_count,bounced_count,failed_count,avg_delivery_time',
    );
    expect(lines[1]).toMatch(/^other,2,0,0,0,/);
    await page.getByText('No template was used in this period', { exact: false }).waitFor();
    await page.getByText('No campaign began in this period', { exact: false }).waitFor();
  });

  it('exports contacts with their attributes, and the members of a list', async () => {
    const email = `${unique('zoe')}@mail.test`;
    const page = await open();
    await visit(page, '/audience');
    const key = unique('plan').replaceAll('-', '_');
    await page.request.post(`${origin}/console/api/contact-attributes`, {
      headers: { origin, 'sec-fetch-site': 'same-origin' },
      data: { key, type: 'string' },
    });
    const made = await postmesh.api(account.key, 'POST', '{A}/contacts', {
      body: { email, first_name: 'Zoe', attributes: { [key]: '=1+1' } },
    });
    expect(made.status).toBe(201);
    const list = await postmesh.api(account.key, 'POST', '{A}/lists', { body: { name: unique('List') } });
    const put = `{A}/lists/${list.body.id}/contacts/${made.body.id}`;
    expect((await postmesh.api(account.key, 'PUT', put, { body: {} })).status).toBe(200);
    const linesOf = async () => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as CSV' }).click(),
      ]);
      return (await readFile(await file.path(), 'utf8')).split('\r\n');
    };
    await visit(page, `/audience?q=${email}`);
    const [head, contact] = await linesOf();
    expect(head?.split(',')).toContain(key);
    expect(contact).toMatch(new RegExp(`^${email},Zoe,,enabled,false,.*'=1\\+1`));
    await visit(page, `/audience/lists/${list.body.id}`);
    expect((await linesOf())[1]).toMatch(new RegExp(`^${email},confirmed,`));
  });

  it('gives the account an attribute, and a contact its value', async () => {
    const key = unique('score').replaceAll('-', '_');
    const { body: contact } = await postmesh.api(account.key, 'POST', '{A}/contacts', {
      body: { email: `${unique('kim')}@mail.test` },
    });
    const page = await open({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
    await visit(page, `/audience/contacts/${contact.id}`);
    await page.getByRole('button', { name: 'Add attribute' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add attribute' });
    await dialog.getByLabel('Name').fill('email');
    await dialog.getByLabel('Type').selectOption('number');
    await dialog.getByRole('button', { name: 'Add attribute' }).click();
    await dialog.getByRole('alert').waitFor();
    await expectNoBarrier(page);
    await dialog.getByLabel('Name').fill(key);
    await dialog.getByRole('button', { name: 'Add attribute' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Add attribute');
    await page.getByLabel(key).pressSequentially('12.5');
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const valueOf = async () =>
      (await postmesh.api(account.key, 'GET', `{A}/contacts/${contact.id}`)).body.attributes[key];
    expect(await valueOf()).toBe(12.5);
    await page.getByLabel(key).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(valueOf).toBeUndefined();
  });

  it('makes a sign-up form whose page takes an address, asks one first, and shows its consent', async () => {
    const [name, email] = [unique('List'), `${unique('zoe')}@mail.test`];
    const domain = await postmesh.verifiedDomain(account);
    const list = await postmesh.api(account.key, 'POST', '{A}/lists', { body: { name } });
    const key = unique('city').replaceAll(/\W/g, '_');
    await postmesh.operator('POST', `/operator/marketing/accounts/${account.id}/attributes`, {
      ...{ key, type: 'string' },
    });
    const page = await open();
    await visit(page, '/audience?tab=forms');
    await page.getByRole('button', { name: 'Create form' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Footer');
    await dialog.getByLabel('List').selectOption(name);
    await dialog.getByLabel('From, on one of your domains').fill(`news@${domain}`);
    await dialog.getByRole('button', { name: 'Create form' }).click();
    await page.getByRole('heading', { name: 'Footer', level: 1 }).waitFor();
    await page.getByLabel('First name').check();
    await page.getByLabel('Title').fill('News of the shop');
    await page.getByRole('checkbox', { name: key, exact: true }).check();
    await page.getByLabel(`Label of ${key}`).fill('Your city');
    await page.getByLabel(`Choices of ${key}`).fill('Graz\nLinz\n');
    await page.getByLabel(`${key} is required`).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoBarrier(page);
    const url = (await page.getByLabel('Page', { exact: true }).innerText()).trim();
    expect(await page.getByLabel('Snippet for your page').innerText()).toContain(`<iframe src="${url}"`);

    const reader = await newPage({ viewport: { width: 360, height: 740 } });
    await reader.goto(`${origin}${new URL(url).pathname}`);
    await reader.getByRole('heading', { name: 'News of the shop' }).waitFor();
    await expectNoBarrier(reader);
    await reader.getByLabel('Email address').fill(email);
    await reader.getByLabel('First name').fill('Zoe');
    await reader.getByLabel('Your city').selectOption('Linz');
    // a form that comes back at once is shown again, filled in
    const thanks = reader.getByText('Please look into your mailbox', { exact: false });
    await eventually(async () => {
      await reader.getByRole('checkbox').check();
      const loaded = reader.waitForEvent('load');
      await reader.getByRole('button', { name: 'Sign up' }).click();
      await loaded;
      return thanks.count();
    }).toBe(1);
    expect([problems, foreign]).toEqual([[], []]);
    await eventually(async () => (await postmesh.messagesTo(email)).length).toBe(1);
    const [mail] = await postmesh.messagesTo(email);
    const link = /\/j\/[\w-]+/.exec(unfold(await postmesh.messageText(mail?.id ?? '')))?.[0];
    await reader.goto(`${origin}${link}`);
    await reader.getByText('Your city: Linz').waitFor();
    await expectNoBarrier(reader);
    await reader.getByRole('button', { name: 'Confirm' }).click();
    await reader.getByText('Thank you. You are on the list.').waitFor();

    const found = await postmesh.api(account.key, 'GET', `{A}/contacts?email=${email}`);
    await visit(page, `/audience/contacts/${found.body.data[0].id}`);
    expect(found.body.data[0].attributes).toMatchObject({ [key]: 'Linz' });
    await page.getByText('by a form', { exact: false }).waitFor();
    await page.getByText('Campaigns as often as they are sent').waitFor();
    await expectNoBarrier(page);
    await visit(page, `/audience/lists/${list.body.id}`);
    await page.getByLabel('Ask the address first').fill(email);
    await page.getByRole('button', { name: 'Add' }).last().click();
    await page.getByText(`${email} is on the list already.`).waitFor();
    await page.getByLabel('Contacts can choose this list').check();
    await page.getByLabel('Name that contacts see').fill('Shop news');
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await visit(page, '/audience?tab=forms');
    await page.getByRole('button', { name: 'Verify chain' }).click();
    await page.getByText('The chain is whole', { exact: false }).waitFor();
  });

  it('makes a segment, and sends a campaign to it with a variant, whose results it shows', async () => {
    const [name, word] = [unique('Segment'), unique('seg')];
    const domain = await postmesh.verifiedDomain(account);
    const campaigns = campaignsOf(account, domain);
    await campaigns.list([1, 2, 3].map((nth) => `${nth}@${word}.test`));
    const page = await open({ viewport: { width: 360, height: 740 } });
    await visit(page, '/audience?tab=segments');
    await page.getByRole('button', { name: 'Create segment' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Property').last().selectOption('Address');
    await page.getByLabel('Comparison').last().selectOption('ends with');
    await page.getByLabel('Value').fill(`@${word}.test`);
    await page.getByRole('button', { name: 'Count', exact: true }).click();
    await page.getByText('A campaign would take 3 contacts.').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();

    const id = await campaigns.campaign([]);
    await visit(page, `/campaigns/${id}`);
    await page.getByRole('checkbox', { name }).check();
    await expectNoBarrier(page);
    await page.getByRole('tab', { name: 'Check and send' }).click();
    await page.getByRole('button', { name: 'Try variants' }).click();
    await page.getByRole('group', { name: 'Variant 1' }).getByLabel('Subject').fill('Something else');
    await expectNoBarrier(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    const results = page.getByRole('region', { name: 'Variants' });
    await results.getByRole('rowheader', { name: 'Something else' }).waitFor();
    await results
      .getByText('All others wait for the decision at', { exact: false })
      .waitFor({ timeout: 60_000 });
    await expectNoBarrier(page);
    expect(await campaigns.recipients(id)).toHaveLength(3);
    expect([problems, foreign]).toEqual([[], []]);
  });

  it('makes a template of blocks on a phone by keyboard, and shows its dark look', async () => {
    const page = await open();
    await page.setViewportSize({ width: 360, height: 740 });
    const press = (name: string) => page.getByRole('button', { name }).press('Enter');
    const saved = () => page.getByText('All changes are saved as a draft.').waitFor();
    const mail = page.frameLocator('iframe').frameLocator('iframe');
    await visit(page, '/templates');
    await page.getByRole('button', { name: 'Create template' }).first().press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('Blocks');
    await page.getByRole('dialog').getByLabel('Subject').fill('News');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Blocks' }).waitFor();
    await press('Heading');
    await page.keyboard.insertText('Open **now**');
    await press('Move up: Heading, block 2');
    await page.getByText('Moved to place 1 of 2.').waitFor();
    // the focus stays on the button, and on the block
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Move up: Heading, block 1');
    await press('Duplicate: Heading, block 1');
    await press('Delete: Heading, block 2');
    await press('Delete: Heading, block 1');
    await press('Undo');
    await press('Text Hello');
    await page.getByRole('textbox', { name: 'Words' }).fill('Words');
    await page.getByRole('textbox', { name: 'Words' }).selectText();
    await press('Bold');
    await saved();
    await mail.locator('h1:text-is("Open **now**")').waitFor();
    await mail.locator('strong:text-is("Words")').waitFor();
    // the innermost frame is the mail
    const ground = () =>
      page
        .frames()
        .at(-1)
        ?.evaluate('getComputedStyle(document.querySelector(".paper")).backgroundColor')
        .catch(() => undefined);
    await expect.poll(ground).toBe('rgb(255, 255, 255)');
    await expectNoBarrier(page);
    await page.getByRole('tab', { name: 'Dark' }).click();
    await page
      .getByText('the styles that the message has for dark mail programs', { exact: false })
      .waitFor();
    await expect.poll(ground).toBe('rgb(28, 31, 34)');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const source = page.getByRole('textbox', { name: 'JSON' });
    await source.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{');
    await page.getByText('The JSON is no design of blocks', { exact: false }).waitFor();
    await page.keyboard.press('Control+z');
    await saved();
    await page.getByRole('tab', { name: 'Blocks' }).click();
    await page.getByRole('button', { name: 'Text **Words**' }).waitFor();
    expect([problems, foreign]).toEqual([[], []]);
    // what is published is sent, and comes back as blocks
    await page.reload();
    await press('Publish');
    await page.getByText('Published: the next message uses it.').waitFor();
    await page.getByRole('list', { name: 'Blocks' }).getByRole('listitem').nth(1).waitFor();
    await expectNoBarrier(page);
  });

  it('has a sample value for a name that is in the subject alone', async () => {
    const { body: template } = await postmesh.api(account.key, 'POST', '{A}/templates', {
      body: {
        name: 'Code',
        subject: 'Your code {{ code }}',
        publish: true,
        content: { html: '<p>Hello</p>' },
      },
    });
    const page = await open();
    await visit(page, `/templates/${template.id}`);
    await page.getByRole('textbox', { name: 'code' }).fill('A-17');
    await page.getByText('Your code A-17').waitFor();
  });

  it('makes the content of a campaign of blocks', async () => {
    const { body: campaign } = await postmesh.api(account.key, 'POST', '{A}/campaigns', {
      body: { name: unique('Blocks') },
    });
    const page = await open({ viewport: { width: 1280, height: 740 }, colorScheme: 'dark' });
    await visit(page, `/campaigns/${campaign.id}`);
    await page.getByLabel('Language').selectOption('Blocks');
    await page.getByRole('button', { name: 'Begin with an outline' }).click();
    await page.getByText('All changes are saved as a draft.').waitFor();
    const mail = page.frameLocator('iframe').frameLocator('iframe');
    await mail.getByRole('link', { name: 'Unsubscribe' }).waitFor();
    await expectNoBarrier(page);
    const { body } = await postmesh.api(account.key, 'GET', `{A}/campaigns/${campaign.id}`);
    expect([body.editor, body.content.text]).toEqual(['simple', expect.stringContaining('Write here.')]);
    await page.reload();
    await page.getByRole('button', { name: 'Footer' }).first().waitFor();
    expect(await page.getByLabel('Language').count()).toBe(0);
  });

  it('has no key in the browser', async () => {
    const page = await open();
    await visit(page, '/developers');
    expect(await page.content()).not.toContain(account.key.secret);
    expect(await page.evaluate('JSON.stringify({ ...localStorage, cookie: document.cookie })')).not.toContain(
      'key',
    );
  });
});

const OPERATOR_PAGES = [
  ...['/', '/queues', '/webhooks', '/dead-letters', '/jobs', '/accounts', '/campaigns', '/installation'],
  ...[
    '/egress',
    '/accounts/{account}',
    '/campaigns/{campaign}',
    '/queues/google',
    '/zone?state=all',
    '/zone/{domain}',
    '/audit',
  ],
];

describe.skipIf(chromiumPath() === undefined)('the pages of operators in a browser', () => {
  const DEAD = `domains.${unique('dead')}`;
  let campaign: string;
  let domain: string;
  beforeAll(async () => {
    origin = postmesh.credentials.operator_url;
    account = await postmesh.newAccount();
    browser = await startBrowser(chromiumPath()!);
    domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const path = `/operator/marketing/accounts/${account.id}/marketing`;
    expect((await postmesh.operator('PUT', path, { review_every_campaign: true })).status).toBe(200);
    const campaigns = campaignsOf(account, domain);
    const list = await campaigns.list(['ann@mail.test']);
    const html = `${HOSTILE}<a href="{{ unsubscribe_url }}">no more</a>`;
    campaign = await campaigns.campaign([list], { name: unique('Held'), content: { html } });
    await campaigns.send(campaign);
    await vi.waitFor(async () => expect((await campaigns.read(campaign)).status).toBe('waiting_for_review'), {
      timeout: 30_000,
      interval: 100,
    });
    await postmesh.sql(
      `insert into domains.dead_letters (consumer, event_id, stream, pattern, kind, reason, envelope)
       values ($1, $1, 'accounts', 'account.changed.v1', 'permanent', 'a field is missing', '{"id":"1"}')`,
      [DEAD],
    );
  });
  afterAll(async () => {
    await postmesh.sql('delete from domains.dead_letters where consumer = $1', [DEAD]);
    await browser?.close();
  });

  async function giveToken(page: Page, token = postmesh.credentials.operator_token): Promise<void> {
    const field = page.getByLabel('Operator token');
    if (!(await field.isVisible())) await page.getByText('With an operator token').click();
    await field.fill(token);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** A browser of an operator, at a page. */
  async function enterAsOperator(path: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const page = await newPage(options);
    await page.goto(`${origin}/console${path}`);
    await giveToken(page);
    await page.getByLabel('Operator token').waitFor({ state: 'detached' });
    await page.getByRole('main').locator('h1').waitFor();
    return page;
  }

  describe.each(LOOKS)('%s and %i wide', (colorScheme, width) => {
    let page: Page;
    beforeAll(async () => {
      page = await enterAsOperator('/queues', { colorScheme, viewport: { width, height: 740 } });
      opened.delete(page.context());
    });
    afterAll(() => page?.context().close());

    it.each(OPERATOR_PAGES)('%s is within its policy and width, and without a barrier', async (path) => {
      const ids: Record<string, string> = { account: account.id, campaign, domain };
      await visit(
        page,
        path.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? ''),
      );
      await expectNoBarrier(page);
      expect(await page.getByRole('alert').allInnerTexts()).toEqual([]);
      // before the sign-in there was no session; what the campaign tries in its frame is refused
      const expected = /\b401\b|script execution in 'about:srcdoc'|'https:\/\/tracker\.example/;
      expect(problems.filter((text) => !expected.test(text))).toEqual([]);
      expect(foreign).toEqual([]);
    });
  });

  it('ask for the token, keep none, and let nobody in without one', async () => {
    const page = await newPage();
    await page.goto(`${origin}/console/accounts?state=active`);
    await giveToken(page, 'wrong');
    await page.getByText('missing or wrong operator token').waitFor();
    await giveToken(page);
    await page.getByRole('navigation').waitFor();
    expect(new URL(page.url()).search).toBe('?state=active');
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(postmesh.credentials.operator_token);
    await page.getByRole('button', { name: 'operator', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await visit(page, '/accounts');
    await page.getByText('With an operator token').waitFor();
  });

  it('sign in at the provider, under their address, if a group lets them operate', async () => {
    const page = await newPage();
    await page.goto(`${origin}/console/accounts?state=active`);
    const button = page.getByRole('button', { name: 'Sign in with Acme' });
    await button.waitFor();
    await expectNoBarrier(page);
    operatorProvider.know('bob@acme.test', { groups: ['staff'] });
    await button.click();
    await logInAtProvider(page, 'bob@acme.test');
    await page.getByRole('alert').getByText('is in no group of Acme that may operate here').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.context().clearCookies();
    operatorProvider.know('ann@acme.test', { groups: ['staff', 'mail-operators'] });
    await page.goto(`${origin}/console/accounts?state=active`);
    await button.click();
    await logInAtProvider(page, 'ann@acme.test');
    await page.waitForURL(`${origin}/console/accounts?state=active`);
    await visit(page, `/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend' });
    await dialog.getByLabel('Reason').fill('asked for by its owner');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    const { body } = await postmesh.operator('GET', '/operator/accounts/audit?actor=ann@acme.test');
    expect((body as { data: { actor: string; action: string }[] }).data).toMatchObject([
      { actor: 'operator ann@acme.test', action: 'account.resume' },
      { actor: 'operator ann@acme.test', action: 'account.suspend' },
    ]);
  });

  it('open by the keyboard alone, and have the colours and times of the reader', async () => {
    const page = await enterAsOperator('/', { viewport: { width: 360, height: 740 } });
    await page.keyboard.press('Control+k');
    await page.keyboard.type(account.id);
    await page.getByRole('option', { name: 'Open the account', selected: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/accounts/${account.id}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('audi');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/audit');
    await page.getByRole('button', { name: 'Menu' }).click();
    const menu = page.getByRole('button', { name: 'operator', exact: true });
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: 'Times local' }).press('Enter');
    await page
      .getByText(/\d{2}:\d{2}:\d{2} UTC/)
      .first()
      .waitFor();
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: 'Colours as the system' }).press('Enter');
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: 'Colours light' }).press('Enter');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await expectNoBarrier(page);
  });

  it('suspend an account with a reason, and resume it', async () => {
    const page = await enterAsOperator(`/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('spam from this account');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    // the button is there once the account is suspended
    const resume = page.getByRole('button', { name: 'Resume' });
    await resume.waitFor();
    const path = `/operator/accounts/accounts/${account.id}`;
    expect((await postmesh.operator('GET', path)).body).toMatchObject({
      state: 'suspended',
      suspension_reason: 'spam from this account',
    });
    await resume.click();
    await page.getByText('active', { exact: true }).waitFor();
    const { body } = await postmesh.operator('GET', `/operator/accounts/audit?account_id=${account.id}`);
    expect(JSON.stringify(body)).toContain('spam from this account');
  });

  it('make a pool with a relay and a rule, which are in the audit without the password', async () => {
    const page = await enterAsOperator('/egress');
    const id = `pool-${Date.now()}`;
    const add = async (section: string, fields: Record<string, string>) => {
      await page.getByRole('region', { name: section }).getByRole('button', { name: 'Add' }).first().click();
      const dialog = page.getByRole('dialog');
      for (const [label, text] of Object.entries(fields)) {
        const field = dialog.getByLabel(label, { exact: true });
        if (label === 'Pool') await field.selectOption(text);
        else await field.fill(text);
      }
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await add('Pools', { Id: id });
    await add('Relays', { Id: id, Host: 'relay.test', User: 'ann', Password: 'a relay secret', Pool: id });
    await add('Rules', { Id: id, Tag: unique('tag'), Pool: id });
    await page.getByText('relay.test:587').waitFor();
    await expectNoBarrier(page);
    const { body } = await postmesh.operator('GET', '/operator/accounts/audit?limit=50');
    const entries = JSON.stringify(body);
    expect(entries).toContain(`egress/relays/${id}`);
    expect(entries).not.toContain('a relay secret');
    for (const kind of ['rules', 'relays', 'pools'])
      expect(
        (await postmesh.operator('DELETE', `/operator/delivery-worker/egress/${kind}/${id}`)).status,
      ).toBe(200);
  });

  it('show a rotation in trouble with its reason, and pause its domain', async () => {
    await postmesh.sql(
      `update domains.domains set rotation_started_at = now() - interval '2 hours', rotation_next_at = now() + interval '1 day',
         rotation_reason = 'one resolver does not see the standby key' where domain = $1`,
      [domain],
    );
    const page = await enterAsOperator('/zone');
    await page.getByText('published elsewhere').waitFor();
    const row = page.getByRole('row', { name: domain });
    await row.getByText('one resolver does not see the standby key').waitFor();
    await row.click();
    await page.getByText('one resolver does not see the standby key', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('a complaint');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'End the pause' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    const { body } = await postmesh.operator('GET', `/operator/domains/domains/${domain}`);
    expect(body.data[0].pauses[0]).toMatchObject({
      note: 'a complaint',
      paused_by: 'operator',
      lifted_by: 'operator',
    });
  });

  it('show the audit of one account, and verify its chain against a noted end', async () => {
    const path = `/operator/accounts/accounts/${account.id}`;
    const reason = unique('payment');
    expect((await postmesh.operator('POST', `${path}/suspend`, { reason })).status).toBe(200);
    expect((await postmesh.operator('POST', `${path}/resume`)).status).toBe(200);
    const page = await enterAsOperator(`/accounts/${account.id}`);
    await page.getByRole('link', { name: 'Its entries' }).click();
    await page.waitForURL(`**/console/audit?account=${account.id}`);
    await page.getByRole('row', { name: reason }).first().getByRole('button').click();
    await page.getByRole('dialog').getByText(reason, { exact: false }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Action').fill('account.suspend');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL('**/console/audit?*action=account.suspend*');
    const verify = page.getByRole('button', { name: 'Verify the chain' });
    await verify.click();
    await page.getByText('The chain is whole', { exact: false }).waitFor();
    const end = await page.getByText(/^\d+:[0-9a-f]{64}$/).innerText();
    // an end of another chain
    await page
      .getByLabel('An end that was noted earlier')
      .fill(end.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
    await verify.click();
    await page.getByText('The chain is broken', { exact: false }).waitFor();
  });

  it('show a dead letter, and hand it to its consumer again', async () => {
    const page = await enterAsOperator('/dead-letters');
    const section = page.getByRole('region', { name: DEAD });
    await section.getByText('a field is missing').waitFor();
    await section.getByText('Look').click();
    await section.getByText('"id": "1"', { exact: false }).waitFor();
    const answer = page.waitForResponse(/dead-letters\/replay$/);
    await section.getByRole('button', { name: 'Replay', exact: true }).click();
    expect([200, 400, 404]).toContain((await answer).status());
  });

  it('show a campaign in review without running its HTML, and approve it', async () => {
    const page = await enterAsOperator('/campaigns');
    await page.getByRole('row', { name: /Held/ }).first().click();
    await visit(page, `/campaigns/${campaign}`);
    await page.frameLocator('iframe').frameLocator('iframe').getByText('Order A-17').waitFor();
    expect(foreign).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Done.').waitFor();
    await expect
      .poll(
        async () => (await postmesh.operator('GET', `/operator/marketing/campaigns/${campaign}`)).body.status,
      )
      .not.toBe('waiting_for_review');
  });
});
