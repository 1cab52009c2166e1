import { ServiceTokens, serviceTokenKeys } from '@postmesh/internal-http';
import { loadSettings } from '@postmesh/settings';
import { FLEET_SECRET, type Fleet } from '../../../tools/ledger/fleet.mjs';

const ANSWER_MS = 30_000;

export interface FleetAnswer {
  status: number;
  body: any; // eslint-disable-line typescript/no-explicit-any
}

/** What an operator and one account ask of a fleet: within its network, and of its gateway. */
export class FleetClient {
  /** its public URL, once it has started */
  gateway = '';
  private account = { id: '', key: '' };
  private readonly tokens = new ServiceTokens(
    serviceTokenKeys({ ...loadSettings({}), secretKeys: [FLEET_SECRET] }),
    'gateway',
  );

  constructor(private readonly fleet: Fleet) {}

  /** @throws Error when it is refused */
  async inside(
    service: 'accounts' | 'domains',
    path: string,
    body?: unknown,
  ): Promise<any /* eslint-disable-line typescript/no-explicit-any */> {
    const answer = await ask(`${this.fleet.urlOf(service)}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-service-token': this.tokens.make(service) },
      body,
    });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** An account and a key of all scopes, with which `api` asks from then on. */
  async signUp(): Promise<void> {
    const { id } = await this.inside('accounts', '/operator/accounts', {
      name: 'Distributed',
      website: 'https://corp.test',
      owner_email: 'owner@corp.test',
    });
    const key = await this.inside('accounts', `/operator/accounts/${id}/api-keys`, {
      label: 'Test',
      scopes: ['*'],
    });
    this.account = { id, key: key.secret_key };
  }

  /** @param path `{A}` stands for `/v2/accounts/<the account>` */
  api(method: string, path: string, body?: unknown): Promise<FleetAnswer> {
    const { id, key } = this.account;
    return ask(`${this.gateway}${path.replace('{A}', `/v2/accounts/${id}`)}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      body,
    });
  }
}

async function ask(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: unknown },
): Promise<FleetAnswer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return { status: response.status, body: await response.json() };
}
