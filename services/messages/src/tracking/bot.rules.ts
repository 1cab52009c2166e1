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

/** The reason why a fetch is a machine's (spec 2-messages §11 rule 7), shown to operators. */
export type BotReason =
  | 'prefetch'
  | 'no-user-agent'
  | 'user-agent'
  | 'scanner-network'
  | 'privacy-proxy'
  | 'several-links'
  | 'right-after-delivery';

/** The facts of a request about its client. */
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

/** Proxies that fetch an image while a person reads the message. */
export const isImageProxy = (userAgent: string): boolean => isAmong(IMAGE_PROXIES, userAgent);

/**
 * The verdict from the request alone. Apple's relays indicate a machine for opens only: they prefetch images, while a
 * click through them comes from a person whose browser uses the same relays.
 * @returns null for a person, as far as the request shows
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

/** Several links of one message that are fetched within this time are fetched by a machine. */
export const SEVERAL_LINKS_MS = 2_000;

// People read more slowly.
const AFTER_DELIVERY_MS = 5_000;

/** Facts about a click that are known some seconds later. */
export interface ClickCircumstances {
  userAgent: string;
  at: Date;
  /** delivery time of the message, or the nearest known time */
  deliveredAt: Date;
  /** another link of the message was fetched within `SEVERAL_LINKS_MS` */
  severalLinks: boolean;
}

export function clickBotReason(click: ClickCircumstances): BotReason | null {
  if (click.severalLinks) return 'several-links';
  const soon = click.at.getTime() - click.deliveredAt.getTime() < AFTER_DELIVERY_MS;
  return soon && !isImageProxy(click.userAgent) ? 'right-after-delivery' : null;
}
