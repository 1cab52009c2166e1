import { gatewayService, type TakeTokens } from '@postmesh/gateway';
import { MESSAGES_SERVICE, OtherSenders } from '@postmesh/messages';
import { Metrics } from '@postmesh/observability';
import { DomainDirectory, type Forget } from '@postmesh/sending-domains';
import { createHostContext, startService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { openListeners, type Ports } from './listeners.js';
import type { Part } from './part.js';

export interface AcceptPart extends Part {
  forgetDomain: Forget;
}

/** What the main process does for it, and is told by it. */
export interface MainProcess {
  readonly takeTokens: TakeTokens;
  /** somebody sent to it */
  readonly sent: () => void;
}

/**
 * What an accept process is: a gateway on the shared ports and the messages service behind it, as replicas of them are in
 * production. Events and periodic work are left to the main process.
 */
export async function startAccepting(
  settings: Settings,
  name: string,
  { takeTokens, sent }: MainProcess,
): Promise<{ part: AcceptPart; ports: Ports }> {
  const metrics = new Metrics({ defaults: false, asks: false });
  observeMemory(metrics, name);
  const context = await createHostContext(settings, name, { metrics, requestsOnly: true });
  const messages = await startService(MESSAGES_SERVICE, context);
  messages.get(OtherSenders).followedBy(sent);
  const gateway = await startService(gatewayService(takeTokens), context);
  const ports = await openListeners(gateway);
  const domains = messages.get(DomainDirectory);
  const part: AcceptPart = {
    metrics,
    forgetDomain: (accountId, domain) => domains.forget(accountId, domain),
    ready: async () => (await gateway.ready()) && (await messages.ready()),
    stop: async () => {
      context.drain.begin();
      await gateway.stop();
      await messages.stop();
      await context.close();
    },
  };
  return { part, ports };
}

function observeMemory(metrics: Metrics, name: string): void {
  metrics.gauge(
    'postmesh_accept_process_resident_bytes',
    'Memory of a process that accepts',
    ['process'],
    (gauge) => gauge.set({ process: name }, process.memoryUsage.rss()),
  );
}
