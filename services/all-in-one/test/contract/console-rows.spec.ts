import type { Browser, Page } from 'playwright-core';
import { chromiumPath, startBrowser } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Postmesh, type Account } from './harness.js';
import { CONTRACT_SETTINGS } from './installation-facts.js';

const ROWS = 100_000;
/** rows of a page of the API */
const PER_PAGE = 100;
/** more than a window shows with what is kept ready above and below it */
const MOST_IN_THE_PAGE = 60;
const TEN_MINUTES = 600_000;

const OLDEST = 'The first of them all';

/** From old to new, in the order of arrival. */
const FILL = `
  with given as materialized (
    select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8'
      || substr(md5($1::text), 1, 7) || lpad(to_hex(n), 8, '0'))::uuid as id
    from (select n, date_trunc('milliseconds', now() - interval '1 hour' - ($2::int - n) * interval '1 second') as at
      from generate_series(1, $2::int) as n) as numbered),
  requests as (
    insert into messages.send_requests (id, account_id, kind, domain_id, domain, sender, subject, message_id_header,
      tags, size, track_opens, track_clicks, created_at, hide_when_done, retain_data_until, retain_metadata_until)
    select id, $1::uuid, 'conversation', $1::uuid, 'rows.test', 'news@rows.test',
      case when n = 1 then '${OLDEST}' else 'Number ' || n end,
      '<' || id || '@rows.test>', '{}', 1, false, false, at, false, now() + interval '1 day', now() + interval '1 day'
    from given order by n)
  insert into messages.messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
  select id, id, $1::uuid, 'u' || n || '@mail.test', '', 'Delivered', at, at from given order by n`;

const postmesh = new Postmesh();
let browser: Browser;
let account: Account;
let page: Page;

describe.skipIf(chromiumPath() === undefined)(`the table of ${ROWS.toLocaleString('en')} messages`, () => {
  const asked: URL[] = [];
  beforeAll(async () => {
    await postmesh.start(CONTRACT_SETTINGS);
    account = await postmesh.newAccount();
    await postmesh.sql(FILL, [account.id, ROWS]);
    browser = await startBrowser(chromiumPath()!);
    page = await (await browser.newContext({ viewport: { width: 1280, height: 740 } })).newPage();
    const { body } = await postmesh.operator('POST', '/operator/accounts/sign-in-links', {
      email: account.ownerEmail,
    });
    await page.goto(body.url as string);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation').waitFor();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/console/api/messages') asked.push(url);
    });
  });
  afterAll(async () => {
    await browser?.close();
    await postmesh.leave();
  });

  const open = async (search = '') => {
    await page.goto(`${postmesh.credentials.base_url}/console/messages${search}`);
    await page.getByRole('table').waitFor();
  };

  it(
    'scrolls to the last one, with few rows in the page, and reads page after page',
    async () => {
      await open();
      await page.getByText(`Number ${ROWS}`, { exact: true }).waitFor();
      asked.length = 0;
      const most = await page.evaluate(`new Promise((resolve) => {
        let most = 0;
        const step = () => {
          most = Math.max(most, document.querySelectorAll('a[role=row]').length);
          scrollTo(0, document.documentElement.scrollHeight);
          const isWhole = [...document.querySelectorAll('[role=status]')]
            .some(({ textContent }) => textContent === '${ROWS.toLocaleString('en')} rows');
          if (isWhole) resolve(most);
          else requestAnimationFrame(step);
        };
        step();
      })`);
      await page.getByText(OLDEST, { exact: true }).waitFor();
      expect(await page.getByRole('row').count()).toBeLessThan(MOST_IN_THE_PAGE);
      expect(most).toBeLessThan(MOST_IN_THE_PAGE);
      const cursors = asked.map((url) => url.searchParams.get('after')).filter((after) => after !== null);
      // a full page may be followed by an empty one
      expect([ROWS / PER_PAGE - 1, ROWS / PER_PAGE]).toContain(new Set(cursors).size);
      // back to the newest, from what was read
      await page.evaluate('scrollTo(0, 0)');
      await page.getByText(`Number ${ROWS}`, { exact: true }).waitFor();
    },
    TEN_MINUTES,
  );

  it.each(['u1@mail.test', 'first of them'])('finds the oldest by %j', async (text) => {
    await open();
    const box = page.getByLabel('Address, part of one with @, words of the subject, or tag:name');
    await box.fill(text);
    await box.press('Enter');
    await page.getByText(OLDEST, { exact: true }).waitFor();
    await page.getByText('1 row', { exact: true }).waitFor();
  });
});
