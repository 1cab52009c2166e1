import type { CampaignUnsubscribeLink, TestUnsubscribeLink, UnsubscribeLink } from './link-tokens.js';
import { isOneClick, type FormField } from './public-form.js';
import { publicPage, shownText } from './public-page.js';

/** A link that unsubscribes the recipient of its message, or says that it is one of a test. */
export type AnyUnsubscribeLink = UnsubscribeLink | CampaignUnsubscribeLink | TestUnsubscribeLink;

/** The recipient and sending domain of a link, as far as they are still known: shown to the reader. */
export interface Subscription {
  readonly email: string;
  readonly domain: string;
}
type About = Subscription | undefined;

/** Mail like this message, or all mail of the sender. */
export type Stop = 'these' | 'all';

interface Choice {
  readonly stop: Stop;
  /** the only field of its form */
  readonly field: FormField;
  readonly label: string;
  readonly done: (about: About) => string;
}

interface Form {
  readonly question: (about: About) => string;
  /** one button each; the first is also the meaning of one click */
  readonly choices: readonly [Choice, ...Choice[]];
}

const part = (word: string, text: string | undefined): string =>
  text === undefined ? '' : ` ${word} ${shownText(text)}`;
const from = (about: About): string => part('from', about?.domain);
const to = (about: About): string => part('to', about?.email);

/** Spec 2-messages §12 rules 2 and 3. */
const OF_MESSAGES: Form = {
  question: (about) => `Stop all email${from(about)}${to(about)}?`,
  choices: [
    {
      stop: 'all',
      field: { name: 'confirm', value: '1' },
      label: 'Unsubscribe',
      done: (about) => `${shownText(about?.email ?? '')} will get no more email${from(about)}`,
    },
  ],
};

/** Spec 3-marketing §7.4 rule 3. Lists are never named. */
const OF_CAMPAIGNS: Form = {
  question: (about) => `Which email${from(about)}${to(about)} do you want to stop?`,
  choices: [
    {
      stop: 'these',
      field: { name: 'stop', value: 'these' },
      label: 'Stop these emails',
      done: (about) => `You will get no more emails like this one${from(about)}${to(about)}`,
    },
    {
      stop: 'all',
      field: { name: 'stop', value: 'all' },
      label: 'Stop all marketing email',
      done: (about) => `You will get no more marketing email${from(about)}${to(about)}`,
    },
  ],
};

const formOf = ({ kind }: AnyUnsubscribeLink): Form => (kind === 'unsubscribe' ? OF_MESSAGES : OF_CAMPAIGNS);

/** @returns undefined for a form that is not one of the link's page */
export function choiceOf(link: AnyUnsubscribeLink, field: FormField): Choice | undefined {
  const { choices } = formOf(link);
  if (isOneClick(field)) return choices[0];
  return choices.find((one) => one.field.name === field.name && one.field.value === field.value);
}

/** Requires a choice before any change. The forms post to the address of the page. */
export function askingPage(link: AnyUnsubscribeLink, about: About): string {
  const { question, choices } = formOf(link);
  const forms = choices.map(({ field: { name, value }, label }) => {
    const button = `<button type="submit">${label}</button>`;
    return `<form method="post">
<input type="hidden" name="${name}" value="${value}">
${choices.length > 1 ? `<p>${button}</p>` : button}
</form>`;
  });
  return publicPage('Unsubscribe', [`<p>${question(about)}</p>`, ...forms].join('\n'));
}

export const unsubscribedPage = ({ done }: Choice, about: About): string =>
  publicPage('You are unsubscribed', `<p>${done(about)}. You can close this page.</p>`);

/** Spec 3-marketing §3.2: for a test message. */
export const testPage = (): string =>
  publicPage(
    'This is a test',
    '<p>The email was a test of a campaign. Nothing was changed. In the campaign, this link lets its reader unsubscribe.</p>',
  );
