import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  askingPage,
  choiceOf,
  returnedPage,
  returnOf,
  unsubscribedPage,
  type AnyUnsubscribeLink,
} from './unsubscribe-pages.js';

const ids = { messageId: randomUUID(), accountId: randomUUID() };
const about = { email: 'ann@mail.test', domain: 'shop.test' };
const LINKS: Record<'message' | 'campaign' | 'test', AnyUnsubscribeLink> = {
  message: { kind: 'unsubscribe', ...ids, domain: about.domain, recipient: about.email },
  campaign: { kind: 'campaign-unsubscribe', ...ids, campaignId: randomUUID(), contactId: randomUUID() },
  test: { kind: 'test-unsubscribe', messageId: ids.messageId },
};
const stopOf = (link: keyof typeof LINKS, name: string, value: string) =>
  choiceOf(LINKS[link], { name, value })?.stop;

describe('a form', () => {
  it.each([
    ['message', 'confirm', '1', 'all'],
    ['campaign', 'stop', 'these', 'these'],
    ['campaign', 'stop', 'all', 'all'],
    ['test', 'stop', 'all', 'all'],
  ] as const)(
    'spec 2-messages §12 rule 3, spec 3-marketing §7.4 rule 3 of a %s: %s=%s',
    (link, name, value, stop) => {
      expect(stopOf(link, name, value)).toBe(stop);
    },
  );

  it.each([
    ['message', 'all'],
    ['campaign', 'these'],
    ['test', 'these'],
  ] as const)(
    'spec 2-messages §12 rule 4, spec 3-marketing §7.4 rule 2 of one click on a link of a %s',
    (link, stop) => {
      expect(stopOf(link, 'List-Unsubscribe', 'One-Click')).toBe(stop);
    },
  );

  it.each([
    ['message', 'confirm', '0'],
    ['message', 'stop', 'all'],
    ['message', 'List-Unsubscribe', 'Yes'],
    ['campaign', 'stop', ''],
    ['campaign', 'stop', 'constructor'],
    ['campaign', 'confirm', '1'],
    ['campaign', 'List-Unsubscribe', 'Yes'],
    ['test', 'confirm', '1'],
  ] as const)('that is not one of a %s means nothing: %s=%s', (link, name, value) => {
    expect(stopOf(link, name, value)).toBeUndefined();
  });
});

describe('a page', () => {
  it('of a contact that is gone is the same without it', () => {
    const { campaign } = LINKS;
    const shown = ' from <strong><bdi>shop.test</bdi></strong> to <strong><bdi>ann@mail.test</bdi></strong>';
    const [choice] = [choiceOf(campaign, { name: 'stop', value: 'all' })!];
    for (const page of [askingPage(campaign, about), unsubscribedPage(choice, about, 'token')])
      expect(page).toContain(shown);
    expect(askingPage(campaign, about).replace(shown, '')).toBe(askingPage(campaign, undefined));
    expect(unsubscribedPage(choice, about, 'token').replace(shown, '')).toBe(
      unsubscribedPage(choice, undefined, 'token'),
    );
  });

  it('has a button for each choice that its form is read as', () => {
    for (const link of [LINKS.message, LINKS.campaign]) {
      const inputs = [...askingPage(link, about).matchAll(/name="(\w+)" value="(\w+)"/g)];
      expect(inputs.length).toBe(link.kind === 'unsubscribe' ? 1 : 2);
      for (const [, name = '', value = ''] of inputs) expect(choiceOf(link, { name, value })).toBeDefined();
    }
  });

  it('names the sender as the message did, and what each choice stops and does not', () => {
    const page = askingPage(LINKS.campaign, { ...about, sender: 'Shop <b>News' });
    expect(page).toContain('<bdi>Shop &lt;b&gt;News</bdi></strong> at <strong><bdi>shop.test</bdi>');
    expect(page).toMatch(/Only the list[\s\S]*Stop these emails[\s\S]*Every list[\s\S]*Stop all marketing/);
  });

  it('of an unsubscribe offers the way back, whose form is read at its own address alone', () => {
    for (const [link, fields] of [
      [LINKS.message, [['confirm', '1', 'all']]],
      [
        LINKS.campaign,
        [
          ['stop', 'these', 'these'],
          ['stop', 'all', 'all'],
        ],
      ],
    ] as const) {
      for (const [name, value, stop] of fields) {
        const page = unsubscribedPage(choiceOf(link, { name, value })!, about, 'a/b');
        expect(page).toContain(
          `<form method="post" action="../r/a%2Fb">\n<input type="hidden" name="back" value="${stop}">`,
        );
        expect(choiceOf(link, { name: 'back', value: stop })).toBeUndefined();
        expect(returnOf(link, { name: 'back', value: stop })).toBe(stop);
        expect(returnOf(link, { name, value })).toBeUndefined();
      }
    }
    expect(returnOf(LINKS.message, { name: 'back', value: 'these' })).toBeUndefined();
  });

  it('says whether the mail comes again', () => {
    expect(returnedPage(true, about)).toContain('You are subscribed again');
    expect(returnedPage(false, about)).toContain('This cannot be undone here');
  });
});
