import { Inject, Injectable } from '@nestjs/common';
import { OutgoingHttp, type OutgoingResponse } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

// spec 2-messages §18.5
const MAX_RESPONSE_BYTES = 65_536;
// Enough for the first words of an error page or a JSON problem.
const KEPT_RESPONSE_BYTES = 512;

/** The headers of every call, next to those of its signature. */
export const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Postmesh-Webhooks/2' };

/** Posts one signed body to a customer's URL. */
@Injectable()
export class WebhookCaller {
  private readonly http: OutgoingHttp;
  private readonly timeoutMs: number;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.timeoutMs = settings.webhookTimeoutSeconds * 1_000;
    this.http = new OutgoingHttp({
      allow: settings.outgoingHttpAllow,
      dnsServers: settings.dnsServers,
      connectionsPerOrigin: settings.webhookPerHost,
    });
  }

  /** Never throws for a failure of the remote. */
  call(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutgoingResponse> {
    return this.http.post({
      url: new URL(url),
      headers: { ...FIXED_HEADERS, ...headers },
      body,
      timeoutMs: this.timeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      keptResponseBytes: KEPT_RESPONSE_BYTES,
    });
  }

  /** Ends running calls as failed. */
  close(): Promise<void> {
    return this.http.close();
  }
}
