import type { Settings } from '@postmesh/settings';

/** Where people reach the API. */
export function publicAddress(settings: Pick<Settings, 'baseUrl' | 'httpPort'>): string {
  return settings.baseUrl ?? `http://localhost:${settings.httpPort}`;
}
