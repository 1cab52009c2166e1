import type { Settings } from './load.js';

/** Where feedback loops send their complaints (spec 2-messages §15.5): what is set, or an address whose host takes bounces. */
export const feedbackLoopAddress = (
  settings: Pick<Settings, 'feedbackLoopAddress' | 'serviceZone'>,
): string => settings.feedbackLoopAddress ?? `fbl@rp.${settings.serviceZone}`.toLowerCase();
