import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memberOf } from '@postmesh/service-testing';
import type { MemberRole } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startTemplates, type TemplatesUnderTest } from '../testing/templates-under-test.js';

const database = testDatabase();
let under: TemplatesUnderTest;
let account: string;
beforeAll(async () => {
  under = await startTemplates(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account = under.account();
});

const ask = (body: object, role: MemberRole = 'Analyst') =>
  under.call('POST', '/console/api/template-translations', { principal: memberOf(account, role), body });
const create = (name: string, { subject, ...content }: { subject?: string }) =>
  under.templates(account, 'POST', '', { body: { name, editor: 'html', subject, content } });

const FILE = JSON.stringify({
  result: [
    {
      name: 'Receipt',
      versions: [
        {
          ...{ active: 1, subject: 'Order {{id}}', plain_content: 'Thanks' },
          html_content: '<p>{{#each items}}{{name}}{{/each}}</p>',
        },
      ],
    },
    { name: 'Broken', versions: [{ active: 1, subject: 'x', html_content: '<p>\n{{> footer}}</p>' }] },
  ],
});

describe('templates of another service', () => {
  it('come in our language, or with the lines that cannot be translated, and are created once', async () => {
    const given = { service: 'sendgrid', file: 'all.json', text: FILE };
    const { status, body } = await ask(given);
    expect(status).toBe(200);
    const template = {
      subject: 'Order {{ id }}',
      html: '<p>{% for item1 in items %}{{ item1.name }}{% endfor %}</p>',
      text: 'Thanks',
    };
    const problem = 'partials ({{> footer}}) are not in our language: put its content here';
    const broken = {
      ...{ name: 'Broken', result: 'refused', template: null },
      problems: [{ part: 'html', line: 2, problem }],
    };
    expect(body).toEqual({
      object: 'template_translation',
      templates: [{ name: 'Receipt', result: 'new', problems: [], template }, broken],
    });
    expect((await create('Receipt', template)).status).toBe(201);
    const unchanged = { name: 'Receipt', result: 'unchanged', problems: [], template: null };
    expect((await ask(given)).body.templates).toEqual([unchanged, broken]);
    const other = { ...given, text: FILE.replace('Thanks', 'Thank you') };
    expect((await ask(other)).body.templates).toMatchObject([
      { name: 'Receipt', result: 'refused', problems: [{ part: 'name' }], template: null },
      broken,
    ]);
  });

  it('of another account are not looked at', async () => {
    await create('welcome', { html: '<p>Hi</p>' } as object);
    const given = { service: 'mailchimp', file: 'welcome.html', text: '<p>Hello *|FNAME|*</p>' };
    expect((await ask(given)).body.templates).toMatchObject([{ result: 'refused' }]);
    account = under.account();
    expect((await ask(given)).body.templates).toMatchObject([
      { name: 'welcome', result: 'new', template: { html: '<p>Hello {{ first_name }}</p>' } },
    ]);
  });

  it('are refused as a file that has none, or too many of them', async () => {
    const message = async (body: object) => {
      const answer = await ask(body);
      expect(answer.status).toBe(400);
      return answer.body.message;
    };
    const file = { service: 'sendgrid', file: 'a.json' };
    expect(await message({ ...file, text: '{}' })).toBe('the file has no templates');
    expect(await message({ ...file, text: '{' })).toContain('a.json is no JSON');
    expect(await message({ ...file, service: 'postal', text: '{}' })).toContain('Postal');
    const many = Array.from({ length: 501 }, (_, n) => ({ name: `t${n}`, versions: [] }));
    expect(await message({ ...file, text: JSON.stringify(many) })).toBe(
      'the file has more than 500 templates',
    );
    const large = { name: 'Large', versions: [{ html_content: 'x'.repeat(1_048_577) }] };
    expect((await ask({ ...file, text: JSON.stringify(large) })).body.templates).toMatchObject([
      { result: 'refused', problems: [{ problem: 'it has more than 1 MiB' }] },
    ]);
  });
});
