import type { ReplyRowInput } from './reply-rows.schema.js';

const { raw } = String;

const GOOGLE = ['google'];

/** What the servers of one provider say, by the ids of the provider table (delivery-worker, `shaping`). */
export const PROVIDER_REPLIES: readonly ReplyRowInput[] = [
  {
    id: 'google-address-rate',
    provider: GOOGLE,
    enhanced: ['7.28'],
    says: raw`\b(?:IP address|Netblock)\b`,
    only: 'temporary',
    kind: 'rate',
    shape: { do: 'suspend', scope: 'source', forSeconds: 600 },
    because: 'support.google.com/a/answer/81126: at 4.7.28 stop for ten minutes',
    sample:
      '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address',
    not: '421 4.7.28 Gmail has detected an unusual rate of mail originating from your SPF domain shop.test',
  },
];
