import { readExtraCa } from '@postmesh/http';
import { createLogger } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import type { EgressCheck } from './egress-checks.rules.js';
import { Ways } from '../ways/ways.js';
import { EgressChecks } from './egress-checks.js';
import { EgressSources } from './egress-sources.js';
import { Relays } from './relays.js';

/** The checks of `doctor` for settings that no process runs with yet. @throws Error for sources that this machine has not */
export async function checkEgress(settings: Settings): Promise<EgressCheck[]> {
  const logger = createLogger({ logLevel: 'silent' }, 'setup');
  const ways = await Ways.ofSettings(settings, logger);
  const sources = await EgressSources.start(ways, settings, logger);
  try {
    const unseen = { sawPtr: async () => undefined };
    const extraCa = readExtraCa(settings.extraCaFile);
    return await new EgressChecks(settings, sources, new Relays(ways), ways, unseen, extraCa).run();
  } finally {
    sources.onApplicationShutdown();
  }
}
