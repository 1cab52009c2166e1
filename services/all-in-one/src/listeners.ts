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

/** Opens the public listeners of a gateway. @throws Error that names the setting when a port cannot be had */
export async function openListeners(gateway: RunningService): Promise<Ports> {
  const { httpPort, smtp } = await gateway.get(GatewayListeners).open();
  const portOf = (role: string) =>
    smtp.find((listener) => listener.role === role || listener.role === 'both')?.port ?? 0;
  return { httpPort, submissionPort: portOf('submission'), mxPort: portOf('inbound') };
}

export type PublicPorts = Pick<Settings, 'httpPort' | 'submissionPorts' | 'mxPort'>;

export interface ChosenPorts {
  ports: PublicPorts;
  /** before their listeners open them; repeatable */
  release(): Promise<void>;
}

/**
 * Chooses the ports that the settings leave to the system (0), and holds them: links in messages have to name one before a
 * listener has it, and a process that is started again, when no other has them open, would get other ones.
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

// Seconds pass until a process listens. From the ports that a system gives to whoever asks for any, and to each connection
// that leaves it, somebody would have taken it by then.
const CHOSEN_PORTS = { first: 20_000, end: 32_000 };
const TRIES = 100;

/** A port that cannot be had whatever its number is chosen all the same: who listens there names the setting. */
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
