import type { CampaignUnsubscribeLink, TestUnsubscribeLink, UnsubscribeLink } from './link-tokens.js';
import { isOneClick, type FormField } from './public-form.js';
import { publicPage, shownText } from './public-page.js';

/** A link that unsubscribes the recipient of its message, or says that it is one of a test. */
export type AnyUnsubscribeLink = UnsubscribeLink | CampaignUnsubscribeLink | TestUnsubscribeLink;

/** The recipient and the sender of a link, as far as they are still known: shown to the reader. */
export interface Subscription {
  readonly email: string;
  readonly domain: string;
  /** the name that the message had in its From */
  readonly sender?: string | undefined;
}
type About = Subscription | undefined;

/** Mail like this message, or all mail of the sender. */
export type Stop = 'these' | 'all';

interface Choice {
  readonly stop: Stop;
  /** the only field of its form */
  readonly field: FormField;
  readonly label: string;
  /** the mail that it stops, and the mail that it does not */
  readonly means: string;
  readonly done: (about: About) => string;
}

interface Form {
  readonly question: (about: About) => string;
  /** one button each; the first is also the meaning of one click */
  readonly choices: readonly [Choice, ...Choice[]];
}

const part = (word: string, text: string | undefined): string =>
  text === undefined ? '' : ` ${word} ${text}`;
const senderOf = ({ sender, domain }: Subscription): string =>
  sender === undefined || sender === '' ? shownText(domain) : `${shownText(sender)} at ${shownText(domain)}`;
const from = (about: About): string => part('from', about && senderOf(about));
const to = (about: About): string => part('to', about && shownText(about.email));

/** Spec 2-messages §12 rules 2 and 3. */
const OF_MESSAGES: Form = {
  question: (about) => `Stop all email${from(about)}${to(about)}?`,
  choices: [
    {
      stop: 'all',
      field: { name: 'confirm', value: '1' },
      label: 'Unsubscribe',
      means: 'This sender can then send nothing to this address, neither news nor receipts.',
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
      means: 'Only the list that this email was sent to. Other news of this sender still arrives.',
      done: (about) => `You will get no more emails like this one${from(about)}${to(about)}`,
    },
    {
      stop: 'all',
      field: { name: 'stop', value: 'all' },
      label: 'Stop all marketing email',
      means: 'Every list of this sender. Receipts and messages about an account still arrive.',
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

/** The field of the form that takes an unsubscribe back. @returns undefined for a form that is not one of the link's page */
export function returnOf(link: AnyUnsubscribeLink, { name, value }: FormField): Stop | undefined {
  return formOf(link).choices.find(({ stop }) => name === RETURN && value === stop)?.stop;
}
const RETURN = 'back';

const formHtml = (
  { name, value }: FormField,
  label: string,
  { means, action }: { means?: string; action?: string } = {},
): string => `<form method="post"${action === undefined ? '' : ` action="${action}"`}>
<input type="hidden" name="${name}" value="${value}">
${means === undefined ? '' : `<p>${means}</p>\n`}<button type="submit">${label}</button>
</form>`;

/**
 * Requires a choice before any change. The forms post to the address of the page.
 * @param token of a link that leads to a preference centre, too
 */
export function askingPage(link: AnyUnsubscribeLink, about: About, token?: string): string {
  const { question, choices } = formOf(link);
  const forms = choices.map(({ field, label, means }) => formHtml(field, label, { means }));
  const more =
    token === undefined || link.kind !== 'campaign-unsubscribe'
      ? []
      : [`<p><a href="../p/${encodeURIComponent(token)}">Choose what you get, or take a break</a></p>`];
  return publicPage('Unsubscribe', [`<p>${question(about)}</p>`, ...forms, ...more].join('\n'));
}

/** @param token of the link: the way back has another address than the page, whose requests the contract fixes */
export const unsubscribedPage = ({ done, stop }: Choice, about: About, token: string): string =>
  publicPage(
    'You are unsubscribed',
    `<p>${done(about)}. You can close this page.</p>\n${returnForm(stop, token, 'Pressed by mistake?')}`,
  );

const returnForm = (stop: Stop, token: string, means: string): string =>
  formHtml({ name: RETURN, value: stop }, 'Subscribe again', {
    means,
    action: `../r/${encodeURIComponent(token)}`,
  });

/** For a reader who opens the way back: changes nothing. */
export const returnPage = (link: AnyUnsubscribeLink, about: About, token: string): string => {
  const [{ stop }] = formOf(link).choices;
  return publicPage(
    'Subscribe again',
    `<p>Do you want email${from(about)}${to(about)} again?</p>\n${returnForm(stop, token, 'You can unsubscribe again at any time.')}`,
  );
};

/** @param isBack whether the mail is sent again: a complaint about spam and a block of the sender stay in force */
export const returnedPage = (isBack: boolean, about: About): string =>
  isBack
    ? publicPage(
        'You are subscribed again',
        `<p>Email${from(about)}${to(about)} will arrive again. Each one has a link to unsubscribe.</p>`,
      )
    : publicPage(
        'This cannot be undone here',
        `<p>There is another reason not to send to this address. Please ask the sender${from(about).replace(' from', '')}.</p>`,
      );

/** Spec 3-marketing §3.2: for a test message. */
export const testPage = (): string =>
  publicPage(
    'This is a test',
    '<p>The email was a test of a campaign. Nothing was changed. In the campaign, this link lets its reader unsubscribe.</p>',
  );
