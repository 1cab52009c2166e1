import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { GatewayListeners } from '@postmesh/gateway';
import type { RunningService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

export interface Ports {
  httpPort: number;
  submissionPort: number;
  mxPort: number;
}

/** Opens the public listeners of a gateway. @throws Error that names the setting of a port that is not available */
export async function openListeners(gateway: RunningService): Promise<Ports> {
  const { httpPort, smtp } = await gateway.get(GatewayListeners).open();
  const portOf = (role: string) =>
    smtp.find((listener) => listener.role === role || listener.role === 'both')?.port ?? 0;
  return { httpPort, submissionPort: portOf('submission'), mxPort: portOf('inbound') };
}

export type PublicPorts = Pick<Settings, 'httpPort' | 'submissionPorts' | 'mxPort'>;

export interface ChosenPorts {
  ports: PublicPorts;
  /** frees the ports for their listeners; repeatable */
  release(): Promise<void>;
}

/**
 * Chooses the ports that the settings leave to the system (0), and holds them. Links in messages name a port before its
 * listener is open, and a restarted process must get the same ports if no other process has opened them.
 */
export async function choosePorts(settings: Settings): Promise<ChosenPorts> {
  const { httpHost, smtpHost } = settings;
  const held: Server[] = [];
  const choose = async (host: string, port: number) => (port === 0 ? chosen(host, held) : port);
  const submissionPorts: number[] = [];
  for (const port of settings.submissionPorts) submissionPorts.push(await choose(smtpHost, port));
  const httpPort = await choose(httpHost, settings.httpPort);
  const mxPort = await choose(smtpHost, settings.mxPort);
  return {
    ports: { submissionPorts, httpPort, mxPort },
    release: async () => {
      await Promise.all(held.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

// A listener opens seconds after its port is chosen. By then a port of the ephemeral range could be in use by another
// listener or by an outgoing connection.
const CHOSEN_PORTS = { first: 20_000, end: 32_000 };
const TRIES = 100;

/**
 * A port that is not available for a reason other than its number is chosen all the same: its listener then names the
 * setting.
 */
async function chosen(host: string, held: Server[]): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(CHOSEN_PORTS.first, CHOSEN_PORTS.end);
    const server = createServer().listen(port, host);
    try {
      await once(server, 'listening');
      held.push(server);
      return port;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || tries === TRIES) return port;
    }
  }
}
