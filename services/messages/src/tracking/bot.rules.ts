import { isbot } from 'isbot';
import { IpNetworks } from '@postmesh/contracts';
import {
  IMAGE_PROXIES,
  MAIL_PROGRAMS,
  PRIVACY_PROXY_NETWORKS,
  SCANNER_AGENTS,
  SCANNER_NETWORKS,
  type AgentPattern,
  type Network,
} from './fetch-sources.table.js';

/** Why a fetch was a machine's (spec 2-messages §11 rule 7), as operators see it. */
export type BotReason =
  | 'prefetch'
  | 'no-user-agent'
  | 'user-agent'
  | 'scanner-network'
  | 'privacy-proxy'
  | 'several-links'
  | 'right-after-delivery';

/** What a request says of who made it. */
export interface FetchSource {
  kind: 'open' | 'click';
  userAgent: string;
  /** of `plainIp`; empty when unknown */
  ip: string;
  prefetch: boolean;
}

const networks = (table: readonly Network[]) => new IpNetworks(table.flatMap(({ blocks }) => blocks));
const SCANNERS = networks(SCANNER_NETWORKS);
const PRIVACY_PROXIES = networks(PRIVACY_PROXY_NETWORKS);

const isAmong = (table: readonly AgentPattern[], agent: string): boolean =>
  table.some(({ pattern }) => pattern.test(agent));

/** Fetches for somebody who looks at the message. */
export const isImageProxy = (userAgent: string): boolean => isAmong(IMAGE_PROXIES, userAgent);

/**
 * What the request alone tells. Apple's relays are a machine's for opens only: they fetch images ahead, while a click
 * that comes through them is of a person whose browser uses the same relays.
 * @returns null for a person, as far as that goes
 */
export function botReason({ kind, userAgent, ip, prefetch }: FetchSource): BotReason | null {
  if (prefetch) return 'prefetch';
  const agent = userAgent.trim();
  if (agent === '') return 'no-user-agent';
  if (isImageProxy(agent)) return null;
  if (SCANNERS.covers(ip)) return 'scanner-network';
  if (kind === 'open' && PRIVACY_PROXIES.covers(ip)) return 'privacy-proxy';
  if (isAmong(SCANNER_AGENTS, agent)) return 'user-agent';
  return isbot(agent) && !isAmong(MAIL_PROGRAMS, agent) ? 'user-agent' : null;
}

/** Links of one message that are fetched closer together are fetched by a machine. */
export const SEVERAL_LINKS_MS = 2_000;

// Nobody reads that fast.
const AFTER_DELIVERY_MS = 5_000;

/** What can only be told of a click some seconds later. */
export interface ClickCircumstances {
  userAgent: string;
  at: Date;
  /** when the message arrived, or the nearest that is known of it */
  deliveredAt: Date;
  /** another link of the message was fetched within `SEVERAL_LINKS_MS` */
  severalLinks: boolean;
}

export function clickBotReason(click: ClickCircumstances): BotReason | null {
  if (click.severalLinks) return 'several-links';
  const soon = click.at.getTime() - click.deliveredAt.getTime() < AFTER_DELIVERY_MS;
  return soon && !isImageProxy(click.userAgent) ? 'right-after-delivery' : null;
}
