import { readExtraCa } from '@postmesh/http';
import { createLogger } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import type { EgressCheck } from './egress-checks.rules.js';
import { EgressChecks } from './egress-checks.js';
import { EgressSources } from './egress-sources.js';
import { Relays } from './relays.js';

/** The checks of `doctor` for settings that no process runs with yet. @throws Error for sources that this machine has not */
export async function checkEgress(settings: Settings): Promise<EgressCheck[]> {
  const sources = await EgressSources.start(settings, createLogger({ logLevel: 'silent' }, 'setup'));
  try {
    const relays = new Relays(settings.egressRelays);
    return await new EgressChecks(settings, sources, relays, readExtraCa(settings.extraCaFile)).run();
  } finally {
    sources.onApplicationShutdown();
  }
}
