import { describe, expect, it } from 'vitest';
import { IpNetworks } from '@postmesh/contracts';
import { botReason, clickBotReason, isImageProxy, type FetchSource } from './bot.rules.js';
import {
  IMAGE_PROXIES,
  MAIL_PROGRAMS,
  PRIVACY_PROXY_NETWORKS,
  SCANNER_AGENTS,
  SCANNER_NETWORKS,
} from './fetch-sources.table.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const reason = (more: Partial<FetchSource>) =>
  botReason({ kind: 'open', userAgent: CHROME, ip: '198.51.100.7', prefetch: false, ...more });

const AGENTS = { IMAGE_PROXIES, MAIL_PROGRAMS, SCANNER_AGENTS };
const NETWORKS = { SCANNER_NETWORKS, PRIVACY_PROXY_NETWORKS };

describe('spec 2-messages §11 rule 7 the tables', () => {
  it.each(Object.entries(AGENTS).flatMap(([name, rows]) => rows.map((row) => [name, row.who, row] as const)))(
    '%s match their samples, and not their counter-samples: %s',
    (_, __, { pattern, samples, others, source }) => {
      expect([samples.length > 0, others.length > 0, source !== '', pattern.global]).toEqual([
        true,
        true,
        true,
        false,
      ]);
      for (const agent of samples) expect([agent, pattern.test(agent)]).toEqual([agent, true]);
      for (const agent of others) expect([agent, pattern.test(agent)]).toEqual([agent, false]);
    },
  );

  it.each(
    Object.entries(NETWORKS).flatMap(([name, rows]) => rows.map((row) => [name, row.who, row] as const)),
  )(
    '%s hold their samples, and no addresses next to them: %s',
    (_, __, { blocks, samples, others, source }) => {
      const networks = new IpNetworks(blocks);
      expect([samples.length > 0, others.length > 0, source !== '']).toEqual([true, true, true]);
      for (const ip of samples) expect([ip, networks.covers(ip)]).toEqual([ip, true]);
      for (const ip of others) expect([ip, networks.covers(ip)]).toEqual([ip, false]);
    },
  );

  it('name each block once, by its first address', () => {
    const blocks = Object.values(NETWORKS).flatMap((rows) => rows.flatMap((row) => row.blocks));
    expect(new Set(blocks).size).toBe(blocks.length);
    for (const block of blocks.filter((one) => one.includes('.'))) {
      const [address = '', bits] = block.split('/');
      const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      expect([block, number % 2 ** (32 - Number(bits))]).toEqual([block, 0]);
    }
  });
});

describe('spec 2-messages §11 rule 7 a fetch is of a person', () => {
  it.each([
    ['a browser', CHROME],
    [
      'a phone',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    ],
    [
      'Apple Mail',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    ],
    ['Thunderbird', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.3.0'],
    ['Outlook', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'],
    ['Outlook of today', 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)'],
    ['Outlook on a phone', 'Outlook-iOS/723.4027091.prod.iphone (4.28.0)'],
    ['nothing but Mozilla/5.0', 'Mozilla/5.0'],
    ...IMAGE_PROXIES.flatMap(({ who, samples }) => samples.map((agent): [string, string] => [who, agent])),
  ])('%s', (_, userAgent) => {
    for (const kind of ['open', 'click'] as const) expect(reason({ kind, userAgent })).toBeNull();
  });

  it('also when an image proxy comes from the network of a scanner', () => {
    const [{ samples }] = IMAGE_PROXIES as [(typeof IMAGE_PROXIES)[number]];
    expect(reason({ userAgent: samples[0]!, ip: '17.58.98.1' })).toBeNull();
  });

  it('also when a click comes through Apple’s image relays', () => {
    expect(reason({ kind: 'click', ip: '172.224.226.5' })).toBeNull();
  });
});

describe('spec 2-messages §11 rule 7 a fetch is of a machine', () => {
  it.each<[string, Partial<FetchSource>, string]>([
    ['HEAD, or ahead', { prefetch: true }, 'prefetch'],
    ['ahead, also of an image proxy', { prefetch: true, userAgent: 'YahooMailProxy' }, 'prefetch'],
    ['no user agent', { userAgent: '' }, 'no-user-agent'],
    ['blanks for a user agent', { userAgent: '  ' }, 'no-user-agent'],
    ['curl', { userAgent: 'curl/8.5.0' }, 'user-agent'],
    ['a library', { userAgent: 'python-requests/2.31.0' }, 'user-agent'],
    ['a crawler', { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, 'user-agent'],
    ['a scanner', { userAgent: 'Mozilla/5.0 (compatible; proofpoint)' }, 'user-agent'],
    ['a headless browser', { userAgent: CHROME.replace('Chrome', 'HeadlessChrome') }, 'user-agent'],
    ['a browser in the network of a scanner', { ip: '209.222.82.9' }, 'scanner-network'],
    ['a click in the network of a scanner', { kind: 'click', ip: '67.231.152.7' }, 'scanner-network'],
    ['Apple’s privacy proxy', { ip: '172.224.226.5' }, 'privacy-proxy'],
    ['Apple’s privacy proxy over IPv6', { ip: '2a02:26f7:b000:4000::1' }, 'privacy-proxy'],
    [
      'Apple’s privacy proxy with its agent',
      { ip: '104.28.28.5', userAgent: 'Mozilla/5.0' },
      'privacy-proxy',
    ],
  ])('%s', (_, source, expected) => expect(reason(source)).toBe(expected));

  it('an unknown address is no evidence', () => expect(reason({ ip: '' })).toBeNull());
});

describe('spec 2-messages §11 rule 7 a click', () => {
  const deliveredAt = new Date('2026-01-05T08:00:00.000Z');
  const after = (ms: number, more: { severalLinks?: boolean; userAgent?: string } = {}) =>
    clickBotReason({
      userAgent: CHROME,
      severalLinks: false,
      at: new Date(deliveredAt.getTime() + ms),
      deliveredAt,
      ...more,
    });

  it.each([
    [-1_000, 'right-after-delivery'],
    [0, 'right-after-delivery'],
    [4_999, 'right-after-delivery'],
    [5_000, null],
    [86_400_000, null],
  ])('%d ms after delivery: %s', (ms, expected) => expect(after(ms)).toBe(expected));

  it('with others within two seconds is a machine’s, at any time after delivery', () => {
    expect(after(86_400_000, { severalLinks: true })).toBe('several-links');
  });

  it('right after delivery may be of a proxy of a mailbox provider', () => {
    const userAgent = 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html';
    expect([isImageProxy(userAgent), after(0, { userAgent })]).toEqual([true, null]);
  });
});
