import { Inject, Injectable } from '@nestjs/common';
import { OutgoingHttp, type OutgoingResponse } from '@postmesh/outgoing-http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { WebhookCaller } from '../attempt/webhook-caller.port.js';

// spec 2-messages §18.5
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Postmesh-Webhooks/2' };

@Injectable()
export class HttpWebhookCaller implements WebhookCaller {
  private readonly http: OutgoingHttp;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.http = new OutgoingHttp({
      allow: settings.outgoingHttpAllow,
      dnsServers: settings.dnsServers,
      connectionsPerOrigin: settings.webhookPerHost,
    });
  }

  call(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<OutgoingResponse> {
    return this.http.post({
      url: new URL(url),
      headers: { ...FIXED_HEADERS, ...headers },
      body,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
  }

  close(): Promise<void> {
    return this.http.close();
  }
}
