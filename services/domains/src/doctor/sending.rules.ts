import type { DoctorFigures, ProviderFigure } from '@postmesh/domains-contract';
import { fault, ok, unknownState, warning, type CheckResult } from './check-result.js';

/** Gmail asks for less than 0.1 %, and refuses help from 0.3 % on. */
const SHARES = { warning: 0.001, fault: 0.003 };
/** Fewer deliveries make no share. */
const LEAST_DELIVERED = 200;

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** The share of mail that Gmail's users report, by Postmaster Tools. */
export type SpamRate = Pick<ProviderFigure, 'value' | 'day'>;

/** Figures of this installation about the mail of the domain. @param figures undefined: they could not be read */
export const judgeSending = (
  figures: DoctorFigures | undefined,
  { isMarketing, gmail }: { isMarketing: boolean; gmail?: SpamRate | undefined },
): CheckResult[] =>
  figures === undefined
    ? (['tls', 'one_click', 'complaints'] as const).map((id) =>
        unknownState(id, { text: 'The figures of the domain could not be read.' }),
      )
    : [judgeTls(figures), judgeOneClick(figures, isMarketing), judgeComplaints(figures, gmail)];

function judgeTls({ sessions: { encrypted, plain } }: DoctorFigures): CheckResult {
  const all = encrypted + plain;
  if (all === 0) return unknownState('tls', { text: 'There is no recent delivery to judge by.' });
  if (plain === 0) return ok('tls', { text: `The latest ${all} deliveries were encrypted.` });
  return warning('tls', {
    text: `${plain} of the latest ${all} deliveries were not encrypted: their servers offer no TLS.`,
    fix: 'Look at these messages: we use TLS wherever it is offered, so the receivers have to offer it.',
  });
}

function judgeOneClick(
  { bulk, days, secure_links: isSecure }: DoctorFigures,
  isMarketing: boolean,
): CheckResult {
  if (isSecure) {
    return ok('one_click', {
      text: 'Campaigns, and templates with unsubscribe_url, have List-Unsubscribe with one click (RFC 8058).',
    });
  }
  const words = {
    text: 'Unsubscribe links begin with http://, and one click needs https:// (RFC 8058).',
    fix: 'The operator sets POSTMESH_BASE_URL to an https address; or the Subscription record of the domain is published.',
  };
  return bulk > 0 || isMarketing
    ? fault('one_click', words)
    : ok('one_click', { ...words, text: `No campaign in ${days} days needed it. ${words.text}` });
}

function judgeComplaints(
  { delivered, complained, days }: DoctorFigures,
  gmail: SpamRate | undefined,
): CheckResult {
  const isEnough = delivered >= LEAST_DELIVERED;
  const own = `${complained} complaints, ${delivered} deliveries in ${days} days`;
  const details = [own, ...(gmail ? [`Gmail Postmaster Tools, ${gmail.day}: ${percent(gmail.value)}`] : [])];
  if (!isEnough && !gmail) {
    const text = `${delivered} deliveries in ${days} days are too few for a share of complaints.`;
    return unknownState('complaints', { text, details });
  }
  const share = isEnough ? complained / delivered : 0;
  const isOfGmail = gmail !== undefined && gmail.value >= share;
  const worst = isOfGmail ? gmail.value : share;
  const text = isOfGmail
    ? `Gmail users reported ${percent(worst)} of the mail of ${gmail.day} as spam.`
    : `${percent(worst)} of the mail of ${days} days was reported as spam.`;
  const fix =
    'Send only to people who asked for it, leave out those who do not open, and make it easy to unsubscribe.';
  if (worst >= SHARES.fault) return fault('complaints', { text, fix, details });
  if (worst >= SHARES.warning) return warning('complaints', { text, fix, details });
  return ok('complaints', { text: gmail ? text : `${text} Gmail reports none of them to us.`, details });
}
