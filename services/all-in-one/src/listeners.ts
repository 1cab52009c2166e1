import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
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

/**
 * Chooses the ports that the settings leave to the system (0): a process that is started again, when no other has them open,
 * would get other ones.
 */
export async function withChosenPorts(settings: Settings): Promise<Settings> {
  const { httpHost, smtpHost } = settings;
  const submissionPorts: number[] = [];
  for (const port of settings.submissionPorts) submissionPorts.push(await chosen(smtpHost, port));
  return {
    ...settings,
    httpPort: await chosen(httpHost, settings.httpPort),
    mxPort: await chosen(smtpHost, settings.mxPort),
    submissionPorts,
  };
}

// Seconds pass until a process listens. From the ports that a system gives to whoever asks for any, and to each connection
// that leaves it, somebody would have taken it by then.
const CHOSEN_PORTS = { first: 20_000, end: 32_000 };
const TRIES = 100;

async function chosen(host: string, port: number): Promise<number> {
  for (let tries = 1; port === 0; tries += 1) {
    const candidate = randomInt(CHOSEN_PORTS.first, CHOSEN_PORTS.end);
    try {
      const server = createServer().listen(candidate, host);
      await once(server, 'listening');
      await new Promise((resolve) => server.close(resolve));
      return candidate;
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
  return port;
}
