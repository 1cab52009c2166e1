import { publicPage, shownText } from '@postmesh/public-links';
import type { WantedStop } from './record-unsubscribe.js';

/** The known data of a link's recipient. Lists are never named (spec 3-marketing §7.4 rule 3). */
export interface Subscription {
  readonly email: string;
  /** the sending domain */
  readonly domain: string;
}

/** The field `stop` is the reader's choice. */
const button = (wanted: WantedStop, text: string): string => `<form method="post">
<input type="hidden" name="stop" value="${wanted}">
<p><button type="submit">${text}</button></p>
</form>`;

const from = (about: Subscription | undefined): string => (about ? ` from ${shownText(about.domain)}` : '');
const to = (about: Subscription | undefined): string => (about ? ` to ${shownText(about.email)}` : '');

/** Requires a choice before any change. The forms post to the address of the page. */
export const choicePage = (about: Subscription | undefined): string =>
  publicPage(
    'Unsubscribe',
    `<p>Which email${from(about)}${to(about)} do you want to stop?</p>
${button('these', 'Stop these emails')}
${button('all', 'Stop all marketing email')}`,
  );

const STOPPED: Readonly<Record<WantedStop, string>> = {
  these: 'You will get no more emails like this one',
  all: 'You will get no more marketing email',
};

export const stoppedPage = (wanted: WantedStop, about: Subscription | undefined): string =>
  publicPage(
    'You are unsubscribed',
    `<p>${STOPPED[wanted]}${from(about)}${to(about)}. You can close this page.</p>`,
  );

/** Spec 3-marketing §3.2: for a test message. */
export const testPage = (): string =>
  publicPage(
    'This is a test',
    '<p>The email was a test of a campaign. Nothing was changed. In the campaign, this link lets its reader unsubscribe.</p>',
  );
