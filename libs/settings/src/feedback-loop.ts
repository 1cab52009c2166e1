import type { Settings } from './load.js';

/** The address for complaints of feedback loops (spec 2-messages §15.5): the setting, else an address at the bounce host. */
export const feedbackLoopAddress = (
  settings: Pick<Settings, 'feedbackLoopAddress' | 'serviceZone'>,
): string => settings.feedbackLoopAddress ?? `fbl@rp.${settings.serviceZone}`.toLowerCase();

/** The host of the address of feedback loops, which has an MX record of ours: reports about domains come to it as well. */
export const reportHost = (settings: Pick<Settings, 'feedbackLoopAddress' | 'serviceZone'>): string =>
  feedbackLoopAddress(settings).replace(/^.*@/, '').toLowerCase();
