import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type {
  AddressFigure,
  AddressFigures,
  ProviderFigure,
  ProviderFigures,
} from '@postmesh/domains-contract';
import { OutgoingHttp, readExtraCa } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { Memory } from '../doctor/memory.js';
import { GmailView, type GmailCredentials } from './gmail.view.js';
import { ProviderCredentials } from './provider-credentials.js';
import {
  ProviderViewError,
  type ProviderTrouble,
  type ProviderView,
  type ViewClient,
} from './provider-view.port.js';
import { SndsView, type SndsCredentials } from './snds.view.js';

const TIMEOUT_MS = 6_000;
const MAX_BYTES = 262_144;
/** Providers count by the day. */
const KEPT_MS = 60 * 60_000;
const KEPT_AFTER_TROUBLE_MS = 10 * 60_000;

/** The figures of a view, or the reason for none. */
interface Shown<Figure> {
  readonly figures: Figure[];
  readonly trouble: ProviderTrouble | null;
}

const keptMs = ({ trouble }: Shown<unknown>): number => (trouble === null ? KEPT_MS : KEPT_AFTER_TROUBLE_MS);

/** The figures of mailbox providers about a domain and about our addresses, by the credentials of the operator. */
@Injectable()
export class ProviderViews implements OnModuleDestroy {
  private readonly http: OutgoingHttp;
  private readonly ofDomains = new Memory<Shown<ProviderFigure>>(keptMs);
  private readonly ofAddresses = new Memory<Shown<AddressFigure>>(keptMs);
  /** with the time of its credentials: later ones make another view */
  private gmail: { view: GmailView; givenAt: number } | undefined;

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
    const given = await this.credentials.find('gmail');
    if (!given) return [];
    const givenAt = given.givenAt.getTime();
    if (this.gmail?.givenAt !== givenAt) this.gmail = { view: this.gmailOf(given.credentials), givenAt };
    const { view } = this.gmail;
    const { at, what } = await this.ofDomains.get(`${givenAt}/${domain}`, () =>
      this.read('gmail', view, domain),
    );
    const source = 'Gmail Postmaster Tools';
    return [{ provider: 'gmail', source, read_at: at.toISOString(), ...what }];
  }

  /** @returns none without credentials */
  async ofSources(addresses: readonly string[]): Promise<AddressFigures[]> {
    const given = await this.credentials.find('snds');
    if (!given) return [];
    const { at, what } = await this.ofAddresses.get(`${given.givenAt.getTime()}/${addresses.join(' ')}`, () =>
      this.read('snds', this.sndsOf(given.credentials), addresses),
    );
    const { figures, trouble } = what;
    const source = 'Microsoft SNDS';
    return [{ provider: 'outlook', source, read_at: at.toISOString(), trouble, addresses: figures }];
  }

  /** @throws ProviderViewError unless the provider accepts them */
  async putGmail(credentials: GmailCredentials, by: string): Promise<void> {
    await this.gmailOf(credentials).tryOut();
    await this.credentials.put('gmail', credentials, by);
  }

  /** @throws ProviderViewError unless the provider accepts them */
  async putSnds(credentials: SndsCredentials, by: string): Promise<void> {
    await this.sndsOf(credentials).tryOut();
    await this.credentials.put('snds', credentials, by);
  }

  onModuleDestroy(): Promise<void> {
    return this.http.close();
  }

  private async read<Subject, Figure>(
    provider: string,
    view: ProviderView<Subject, Figure>,
    subject: Subject,
  ): Promise<Shown<Figure>> {
    try {
      return { figures: [...(await view.read(subject, new Date()))], trouble: null };
    } catch (error) {
      if (!(error instanceof ProviderViewError)) throw error;
      const { trouble, detail } = error;
      this.logger.info({ event: 'provider_view.failed', provider, subject, trouble, detail }, 'no figures');
      return { figures: [], trouble };
    }
  }

  private gmailOf(credentials: GmailCredentials): GmailView {
    return new GmailView(this.client(), credentials, this.settings.gmailPostmasterApi);
  }

  private sndsOf(credentials: SndsCredentials): SndsView {
    return new SndsView(this.client(), credentials, this.settings.sndsApi);
  }

  private client(): ViewClient {
    const fetched = async (
      url: string,
      request: { headers: Readonly<Record<string, string>>; body?: Buffer },
    ) => {
      const response = await this.http.fetch({
        url: new URL(url),
        ...request,
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_BYTES,
      });
      if (response.kind === 'failed') throw new ProviderViewError('unreachable', response.trouble);
      return { status: response.status, text: response.body.toString('utf8') };
    };
    return {
      get: (url) => fetched(url, { headers: {} }),
      post: (url, { headers, body }) => fetched(url, { headers, body: Buffer.from(body) }),
    };
  }
}
