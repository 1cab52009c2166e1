import { randomUUID } from 'node:crypto';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BRIEF_LIFE } from '../../../tools/ledger/fleet.mjs';
import { ACCEPTING, acceptingElsewhere, RoleProcess } from '../../../tools/ledger/role-process.mjs';
import { submit } from './contract/smtp-client.js';
import { Installation } from './installation.js';

describe('an all-in-one of three processes: two accept on the same ports (decision 110)', () => {
  let postmesh: Installation;
  let accepting: RoleProcess[];
  beforeAll(async () => {
    postmesh = await Installation.create(await acceptingElsewhere());
    const env = { ...postmesh.environment(), ...ACCEPTING, POSTMESH_DRAIN_SECONDS: '1' };
    accepting = [1, 2].map(() => new RoleProcess(env, BRIEF_LIFE));
    await Promise.all([postmesh.start(), ...accepting.map((one) => one.ready())]);
    await postmesh.verifiedDomain('two.test');
  }, 240_000);
  afterAll(async () => {
    await Promise.all((accepting ?? []).map((one) => one.stop()));
    await postmesh?.remove();
  }, 60_000);

  const message = (subject: string) => ({
    from: { email: 'a@two.test' },
    to: [{ email: 'reader@mail.test' }],
    subject,
    text_content: 'x'.repeat(500),
  });

  /** Repeats an interrupted request with its idempotency key. */
  class Client {
    readonly accepted: string[] = [];
    cut = 0;
    private readonly agent: Agent;

    constructor({ keepAlive }: { keepAlive: boolean }) {
      this.agent = new Agent({ connections: 1, pipelining: keepAlive ? 1 : 0 });
    }

    async send(subject: string): Promise<void> {
      for (;;) {
        const response = await this.post(subject).catch(() => undefined);
        if (response === undefined) {
          this.cut += 1;
          continue;
        }
        expect(response.status, JSON.stringify(response.body)).toBe(202);
        this.accepted.push(response.body.data[0].id as string);
        return;
      }
    }

    close(): Promise<void> {
      return this.agent.close();
    }

    private async post(subject: string) {
      const { base_url, account_id, api_key } = postmesh.credentials;
      const url = `${base_url.replace('localhost', '127.0.0.1')}/v2/accounts/${account_id}/messages/conversation`;
      const response = await undiciFetch(url, {
        method: 'POST',
        dispatcher: this.agent,
        signal: AbortSignal.timeout(30_000),
        headers: {
          authorization: `Bearer ${api_key}`,
          'content-type': 'application/json',
          'idempotency-key': subject,
        },
        body: JSON.stringify(message(subject)),
      });
      return { status: response.status, body: (await response.json()) as any }; // eslint-disable-line typescript/no-explicit-any
    }
  }

  /**
   * Clients send one message after another until `during` ends. @returns accepted messages, and the number of closed
   * connections
   */
  async function underLoad(
    name: string,
    during: (sent: () => number) => Promise<void>,
    connections = { keepAlive: true },
  ) {
    let over = false;
    const clients = Array.from({ length: 4 }, () => new Client(connections));
    const sent = () => clients.reduce((sum, { accepted }) => sum + accepted.length, 0);
    const loads = clients.map(async (client, at) => {
      for (let nth = 0; !over; nth += 1) await client.send(`${name} ${at} ${nth} ${randomUUID()}`);
      await client.close();
    });
    try {
      await during(sent);
    } finally {
      over = true;
      await Promise.all(loads);
    }
    return {
      accepted: clients.flatMap(({ accepted }) => accepted),
      cut: clients.reduce((sum, { cut }) => sum + cut, 0),
    };
  }
  const atLeast = (count: () => number, wanted: number) =>
    expect.poll(count, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted);

  const expectDelivered = async (ids: readonly string[]) => {
    expect(new Set(ids).size).toBe(ids.length);
    const waiting = async () => {
      const read = await Promise.all(
        ids.map((id) => postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`)),
      );
      return read.filter(({ body }) => body.status !== 'Delivered').map(({ status, body }) => [status, body]);
    };
    await expect.poll(waiting, { timeout: 90_000, interval: 500 }).toEqual([]);
  };

  /** Requests that a process served. */
  const servedBy = async ({ operatorUrl }: RoleProcess): Promise<number> => {
    const page = await (await fetch(`${operatorUrl}/metrics`)).text();
    const counts = page.split('\n').filter((line) => line.startsWith('postmesh_http_requests_total{'));
    return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };

  it('serves requests and SMTP by both, and delivers what both accept', async () => {
    const byBoth = async () => {
      for (const one of accepting) {
        const before = await servedBy(one);
        await expect.poll(() => servedBy(one), { timeout: 60_000 }).toBeGreaterThan(before);
      }
    };
    // the system picks the process per connection: a few connections that stay open can all be of one process
    const { accepted } = await underLoad('Mail', byBoth, { keepAlive: false });
    const login = await postmesh.api('POST', '{A}/smtp-credentials', { name: 't', scope: 'global' });
    const { id } = await submit(
      postmesh,
      { user: login.body.username, pass: login.body.password },
      {
        envelope: { from: 'a@two.test', to: ['reader@mail.test'] },
        from: 'a@two.test',
        to: 'reader@mail.test',
        subject: 'By SMTP',
        text: 'x',
      },
    );
    await expectDelivered([...accepted, id]);
  }, 240_000);

  it('loses no request when one of them drains', async () => {
    const [one] = accepting as [RoleProcess, RoleProcess];
    const { starts } = one;
    const { accepted, cut } = await underLoad('Drained', async (sent) => {
      await atLeast(sent, 30);
      expect(await one.end('SIGTERM')).toEqual({ code: 0, signal: null });
      await atLeast(sent, sent() + 10);
    });
    await one.ready();
    expect(one.starts).toBe(starts + 1);
    // a connection that was made while the listener closed: Linux resets it unless net.ipv4.tcp_migrate_req is 1
    expect(cut).toBeLessThanOrEqual(2);
    await expectDelivered(accepted);
  }, 240_000);

  it('accepts while one of them is killed and restarted', async () => {
    const [, other] = accepting as [RoleProcess, RoleProcess];
    const { accepted } = await underLoad('Killed', async (sent) => {
      await atLeast(sent, 30);
      await other.end('SIGKILL');
      await atLeast(sent, sent() + 10);
    });
    await expectDelivered(accepted);
    await other.ready();
    // each on a connection of its own
    const served = async () => {
      await underLoad('Back', (sent) => atLeast(sent, 1));
      return servedBy(other);
    };
    await expect.poll(served, { timeout: 60_000 }).toBeGreaterThan(0);
  }, 240_000);

  it('continues after a kill of the main process, whose restart makes the others restart, too', async () => {
    const starts = accepting.map((one) => one.starts);
    await postmesh.stop('SIGKILL');
    await postmesh.start();
    // local-internet has other ports now
    await expect
      .poll(() => accepting.map((one) => one.starts), { timeout: 30_000 })
      .toEqual(starts.map((count) => count + 1));
    await Promise.all(accepting.map((one) => one.ready()));
    const sent = await postmesh.api('POST', '{A}/messages/conversation', message('After'));
    expect(sent.status).toBe(202);
    await expectDelivered([sent.body.data[0].id as string]);
  }, 240_000);
});
