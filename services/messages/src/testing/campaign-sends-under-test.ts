import { newId, type AccountFacts } from '@postmesh/contracts';
import type { CampaignSendResult } from '@postmesh/messages-contract';
import { DEFAULT_ACCOUNT, type TestService } from '@postmesh/service-testing';

interface Wanted {
  campaignId?: string;
  accountId?: string;
  account?: Partial<AccountFacts>;
  test?: boolean;
  purpose?: 'confirmation' | 'welcome';
  content?: object;
}

interface WantedRecipient {
  message_id?: string;
  contact_id?: string | null;
  email?: string;
  name?: string;
  values?: Record<string, unknown>;
}

/** Recipients, each with its own id. */
export const someRecipients = (count: number, change: WantedRecipient = {}) =>
  Array.from({ length: count }, (_, nth) => recipientOf({ email: `r${nth}@mail.test`, ...change }));

export const recipientOf = (change: WantedRecipient = {}) => ({
  message_id: newId(),
  contact_id: newId() as string | null,
  email: 'ann@mail.test',
  name: 'Ann Example',
  values: { email: 'ann@mail.test', first_name: 'Ann' } as Record<string, unknown>,
  ...change,
});

export const CONTENT = {
  from: { email: 'news@shop.test', name: 'Shop' },
  reply_to: null,
  subject: 'Hello {{ first_name|default("there") }}',
  preheader: null,
  html: '<p>Hi {{ first_name }}, <a href="{{ unsubscribe_url }}">stop</a></p>',
  text: 'Hi {{ first_name }}, {{ unsubscribe_url }}',
};

/** `POST /internal/campaign-sends`, called like marketing. */
export async function campaignSend(
  under: TestService,
  recipients: readonly object[],
  { campaignId = newId(), accountId = under.accountId, account, test = false, purpose, content }: Wanted = {},
): Promise<CampaignSendResult> {
  const { status, body } = await under.internal('POST', '/internal/campaign-sends', {
    account_id: accountId,
    account: { ...DEFAULT_ACCOUNT, ...account },
    campaign_id: campaignId,
    test,
    ...(purpose && { purpose }),
    content: { ...CONTENT, ...content },
    recipients,
  });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as CampaignSendResult;
}
