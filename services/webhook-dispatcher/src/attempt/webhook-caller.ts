import { Inject, Injectable } from '@nestjs/common';
import { OutgoingHttp, type OutgoingResponse } from '@postmesh/outgoing-http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

// spec 2-messages §18.5
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Postmesh-Webhooks/2' };

/** Posts one signed body to a customer's URL. */
@Injectable()
export class WebhookCaller {
  private readonly http: OutgoingHttp;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.http = new OutgoingHttp({
      allow: settings.outgoingHttpAllow,
      dnsServers: settings.dnsServers,
      connectionsPerOrigin: settings.webhookPerHost,
    });
  }

  /** Never throws for what the other side does or fails to do. */
  call(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutgoingResponse> {
    return this.http.post({
      url: new URL(url),
      headers: { ...FIXED_HEADERS, ...headers },
      body,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
  }

  /** Ends what is in flight as failed. */
  close(): Promise<void> {
    return this.http.close();
  }
}
