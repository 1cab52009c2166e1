import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { ProviderFigures } from '@postmesh/domains-contract';
import { OutgoingHttp, readExtraCa } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Memory } from '../doctor/memory.js';
import { GmailView, type GmailCredentials } from './gmail.view.js';
import { ProviderCredentials } from './provider-credentials.js';
import { ProviderViewError, type ProviderView, type ViewClient } from './provider-view.port.js';

const TIMEOUT_MS = 6_000;
const MAX_BYTES = 262_144;
/** Providers count by the day. */
const KEPT_MS = 60 * 60_000;
const KEPT_AFTER_TROUBLE_MS = 10 * 60_000;

/** The figures of mailbox providers about a domain, by the credentials of the operator. */
@Injectable()
export class ProviderViews implements OnModuleDestroy {
  private readonly http: OutgoingHttp;
  private readonly seen = new Memory<Pick<ProviderFigures, 'figures' | 'trouble'>>(({ trouble }) =>
    trouble === null ? KEPT_MS : KEPT_AFTER_TROUBLE_MS,
  );
  /** with the time of its credentials: later ones make another view */
  private gmail: { view: ProviderView; givenAt: number } | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly credentials: ProviderCredentials,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { dnsServers, extraCaFile, outgoingHttpAllow } = settings;
    this.http = new OutgoingHttp({
      allow: outgoingHttpAllow,
      dnsServers,
      connectionsPerOrigin: 2,
      ca: readExtraCa(extraCaFile),
    });
  }

  /** @returns none without credentials */
  async of(domain: string): Promise<ProviderFigures[]> {
    const given = await this.credentials.gmail();
    if (!given) return [];
    const givenAt = given.givenAt.getTime();
    if (this.gmail?.givenAt !== givenAt) this.gmail = { view: this.viewOf(given.credentials), givenAt };
    const { view } = this.gmail;
    const { at, what } = await this.seen.get(`${givenAt}/${domain}`, () => this.read(view, domain));
    const source = 'Gmail Postmaster Tools';
    return [{ provider: 'gmail', source, read_at: at.toISOString(), ...what }];
  }

  /** @throws ProviderViewError unless the provider accepts them */
  async put(credentials: GmailCredentials, by: string): Promise<void> {
    await this.viewOf(credentials).tryOut();
    await this.credentials.putGmail(credentials, by);
  }

  onModuleDestroy(): Promise<void> {
    return this.http.close();
  }

  private async read(
    view: ProviderView,
    domain: string,
  ): Promise<Pick<ProviderFigures, 'figures' | 'trouble'>> {
    try {
      return { figures: [...(await view.read(domain, new Date()))], trouble: null };
    } catch (error) {
      if (!(error instanceof ProviderViewError)) throw error;
      const { trouble, detail } = error;
      this.logger.info(
        { event: 'provider_view.failed', provider: 'gmail', domain, trouble, detail },
        'no figures',
      );
      return { figures: [], trouble };
    }
  }

  private viewOf(credentials: GmailCredentials): ProviderView {
    return new GmailView(this.client(), credentials, this.settings.gmailPostmasterApi);
  }

  private client(): ViewClient {
    return {
      post: async (url, { headers, body }) => {
        const response = await this.http.fetch({
          url: new URL(url),
          headers,
          body: Buffer.from(body),
          timeoutMs: TIMEOUT_MS,
          maxResponseBytes: MAX_BYTES,
        });
        if (response.kind === 'failed') throw new ProviderViewError('unreachable', response.trouble);
        return { status: response.status, text: response.body.toString('utf8') };
      },
    };
  }
}
