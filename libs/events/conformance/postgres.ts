import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@postmesh/contracts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@postmesh/database';
import pg from 'pg';

export interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/** A PostgreSQL of its own in a temporary folder, which a test may kill and start again. */
export class OwnPostgres {
  private constructor(
    private readonly dataDir: string,
    public server: EmbeddedPostgres,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const dataDir = await mkdtemp(join(tmpdir(), 'postmesh-bus-'));
    return new OwnPostgres(dataDir, await startEmbeddedPostgres({ dataDir }));
  }

  /** Starts it again on the same port with the same data. */
  async again(): Promise<void> {
    this.server = await startEmbeddedPostgres({ dataDir: this.dataDir });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** The server of DATABASE_URL, or one that is started for this file. */
export async function anyPostgres(): Promise<TestServer> {
  const given = process.env['DATABASE_URL'];
  if (given) return { url: given, stop: () => Promise.resolve() };
  const own = await OwnPostgres.start();
  return { url: own.server.url, stop: () => own.stop() };
}

export async function query(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** @returns an empty database on the server, and how to drop it */
export async function newDatabase(serverUrl: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `bus_${newId().replaceAll('-', '')}`;
  await query(serverUrl, `create database ${name}`);
  const address = new URL(serverUrl);
  address.pathname = `/${name}`;
  return {
    url: address.href,
    drop: async () => void (await query(serverUrl, `drop database ${name} with (force)`)),
  };
}
