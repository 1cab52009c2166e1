import { publicPage, shownText } from '@postmesh/public-links';

/** Whom a link is about: shown to the person who follows it. */
export interface Subscription {
  recipient: string;
  /** the sending domain */
  domain: string;
}

/** Asks before anything is done (spec 2-messages §12 rule 2). The form goes to the address of the page. */
export const confirmationPage = (about: Subscription): string =>
  publicPage(
    'Unsubscribe',
    `<p>Stop all email from ${shownText(about.domain)} to ${shownText(about.recipient)}?</p>
<form method="post">
<input type="hidden" name="confirm" value="1">
<button type="submit">Unsubscribe</button>
</form>`,
  );

export const unsubscribedPage = (about: Subscription): string =>
  publicPage(
    'You are unsubscribed',
    `<p>${shownText(about.recipient)} will get no more email from ${shownText(about.domain)}. You can close this page.</p>`,
  );
