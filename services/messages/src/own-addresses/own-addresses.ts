import { Inject, Injectable } from '@nestjs/common';
import { SingleFlight } from '@postmesh/concurrency';
import { EgressAddresses } from '@postmesh/delivery-worker-contract';
import { InternalClient } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { ownAddresses } from './own-addresses.rules.js';

/** A new source counts after this time; so long the delivery worker is not asked again. */
const KEPT_MS = 60_000;
const ASK_MS = 2_000;

/** The addresses from which mail of this installation leaves, by the settings and by the rows of the delivery worker. */
@Injectable()
export class OwnAddresses {
  private readonly asking = new SingleFlight<'', void>();
  private made: EgressAddresses | undefined;
  private askAgainAt = 0;

  constructor(
    private readonly client: InternalClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Those that operators made; undefined when the delivery worker has never answered. */
  async ofOperators(): Promise<EgressAddresses | undefined> {
    if (performance.now() >= this.askAgainAt) await this.asking.run('', () => this.ask());
    return this.made;
  }

  /** @returns whether an address is ours */
  async known(): Promise<(address: string) => boolean> {
    return ownAddresses(this.settings, (await this.ofOperators())?.addresses);
  }

  /** While the worker is unavailable its last answer counts. */
  private async ask(): Promise<void> {
    const signal = AbortSignal.timeout(ASK_MS);
    const request = { method: 'GET' as const, path: '/internal/egress-addresses', signal };
    const answer = this.client.request('delivery-worker', request, EgressAddresses);
    this.made = (await answer.catch(() => undefined)) ?? this.made;
    this.askAgainAt = performance.now() + KEPT_MS;
  }
}
