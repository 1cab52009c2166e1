import { eventually, type Postmesh } from './contract/harness.js';
import { send, type HttpResponse } from './contract/http-request.js';

interface HouseEvent {
  at: string;
  connection: string;
  what: string;
}

export interface HouseView {
  address: string;
  counts: { connections: number; open: number; most_open: number; accepted: number; rejected: number };
  events: HouseEvent[];
}

/** The houses of local-internet over its control API. */
export class HousesClient {
  constructor(private readonly postmesh: Postmesh) {}

  /** The port of all mail hosts of this internet. */
  async port(): Promise<number> {
    return (await this.ask('GET', '')).body.smtp_port;
  }

  async view(name: string): Promise<HouseView> {
    return (await this.ask('GET', `/${name}`)).body;
  }

  async change(name: string, script: object): Promise<void> {
    await this.ask('PUT', `/${name}`, script);
  }

  async reset(name: string): Promise<void> {
    await this.ask('DELETE', `/${name}`);
  }

  /** Waits until a count of a house has this value. */
  count(name: string, of: keyof HouseView['counts'], timeoutMs?: number) {
    return eventually(async () => (await this.view(name)).counts[of], timeoutMs);
  }

  private async ask(method: string, path: string, body?: object): Promise<HttpResponse> {
    const { mailbox_url } = this.postmesh.credentials;
    const base = mailbox_url.replace(/\/$/, '').replace('//localhost:', '//127.0.0.1:');
    const response = await send({
      method,
      url: `${base}/api/houses${path}`,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status >= 300) throw new Error(`${response.status} ${response.bytes.toString()}`);
    return response;
  }
}
