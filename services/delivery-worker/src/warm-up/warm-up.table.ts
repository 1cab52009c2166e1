import type { WarmUpSchedule } from './warm-up.rules.js';

interface WarmUpRow extends WarmUpSchedule {
  /** id of a provider in the provider table; undefined: all others, and each small host */
  readonly provider?: string;
  readonly because: string;
}

/**
 * No provider publishes numbers for a new address; they publish what to avoid. The numbers are ours, from what senders
 * report (docs/decisions/0144): 17 stages from 100 to 100,000 a day, with one stage a day at most.
 */
export const WARM_UP: readonly WarmUpRow[] = [
  {
    provider: 'google',
    first: 100,
    growth: 1.5,
    full: 150_000,
    because:
      'Gmail: increase slowly; doubling at once leads to rate limits (support.google.com/a/answer/81126)',
  },
  {
    provider: 'outlook',
    first: 50,
    growth: 1.4,
    full: 150_000,
    because: 'Outlook.com limits new addresses by reputation (sendersupport.olc.protection.outlook.com)',
  },
  {
    provider: 'm365',
    first: 50,
    growth: 1.4,
    full: 150_000,
    because: 'the same reputation service as Outlook.com',
  },
  {
    provider: 'yahoo',
    first: 100,
    growth: 1.4,
    full: 150_000,
    because: 'Yahoo defers unknown addresses with TSS04 (senders.yahooinc.com)',
  },
  {
    first: 100,
    growth: 1.5,
    full: 50_000,
    because:
      'small hosts compare with their usual traffic; SendGrid warms up by the hour, too (twilio.com/docs)',
  },
];

const OTHERS = WARM_UP.find(({ provider }) => provider === undefined) as WarmUpRow;

/** @param key of a budget: `p:<provider>`, or an MX group */
export const scheduleOf = (key: string): WarmUpSchedule =>
  WARM_UP.find(({ provider }) => provider !== undefined && key === `p:${provider}`) ?? OTHERS;
