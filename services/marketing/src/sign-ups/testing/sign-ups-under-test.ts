import { LinkTokens } from '@postmesh/public-links';
import { DEFAULT_ACCOUNT, memberOf } from '@postmesh/service-testing';
import { startCampaigns, type CampaignsUnderTest } from '../../testing/campaigns-under-test.js';
import type { SignUpFormBody } from '../sign-up-form.schema.js';

export const TEXTS: SignUpFormBody['texts'] = {
  title: 'News of the shop',
  intro: 'Once a month.\n\nNo more.',
  button: 'Sign up',
  consent: 'I want the news of the shop.',
  thanks: 'Please look into your mailbox.',
  confirmed: 'You are on the list.',
  mail_subject: 'Please confirm {{ your }} address',
  mail_text: 'Hello,\n\ndo you want our <news>?',
  mail_button: 'Yes, I do',
};

export const formBody = (list_id: string, more: Partial<SignUpFormBody> = {}): SignUpFormBody => ({
  name: 'Footer',
  list_id,
  is_open: true,
  fields: ['first_name'],
  attributes: [],
  texts: TEXTS,
  accent: '#1d4fc4',
  from: { email: 'news@shop.test', name: 'Shop' },
  welcome: null,
  ...more,
});

interface PublicPage {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface SignUpsUnderTest extends CampaignsUnderTest {
  /** a request of a browser, to the path of a public link */
  page(url: string, fields?: Readonly<Record<string, string>>): Promise<PublicPage>;
  /** the same page, with a request of its own */
  fetchPublic(url: string, init: RequestInit): Promise<Response>;
  console(
    accountId: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<{
    status: number;
    body: any; // eslint-disable-line typescript/no-explicit-any
  }>;
  readonly tokens: LinkTokens;
}

/** The service with its public pages, and neighbours as those of campaigns. */
export async function startSignUps(databaseUrl: string): Promise<SignUpsUnderTest> {
  const under = await startCampaigns(databaseUrl, undefined, {
    neighbours: {
      accounts: ({ body }) => {
        const { account_ids } = body as { account_ids: string[] };
        const accounts = account_ids.map((account_id) => ({ account_id, account: DEFAULT_ACCOUNT }));
        return { status: 200, body: { accounts } };
      },
    },
  });
  const origin = `http://127.0.0.1:${await under.service.listen('127.0.0.1', 0)}`;
  return Object.assign(under, {
    tokens: under.service.get(LinkTokens),
    fetchPublic: (url: string, init: RequestInit) => fetch(`${origin}/public${pathOf(url)}`, init),
    page: async (url: string, fields?: Readonly<Record<string, string>>) => {
      const path = pathOf(url);
      const headers = { 'x-client-ip': '203.0.113.9' };
      const sent = fields && { method: 'POST', body: new URLSearchParams(fields) };
      const response = await fetch(`${origin}/public${path}`, { headers, ...sent });
      return { status: response.status, text: await response.text(), headers: response.headers };
    },
    console: (account_id: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
      under.call(method, `/console/api${path}`, { principal: memberOf(account_id), body }),
  });
}

const pathOf = (url: string): string => /\/[fjp]\/[\w-]+$/.exec(url)?.[0] ?? url;
