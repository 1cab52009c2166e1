import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { codeOf } from './failure.js';

/** A port of 127.0.0.1 that is free now. */
export const freePort = (): Promise<number> => claim(0);

/** The port of the last start while it is free, so that people's tools keep working; else a new one. */
export async function rememberedPort(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const port = Number(text.trim());
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return freePort();
  return claim(port).catch((error: unknown) => {
    if (['EADDRINUSE', 'EACCES'].includes(codeOf(error) ?? '')) return freePort();
    throw error;
  });
}

export const rememberPort = (file: string, port: number): Promise<void> => writeFile(file, `${port}\n`);

function claim(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      const claimed = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(claimed));
    });
  });
}
