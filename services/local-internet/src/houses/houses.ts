import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@postmesh/observability';
import { issueCertificate } from '@postmesh/secrets';
import { SmtpSink, type SinkOptions } from '../sink/smtp-sink.js';
import type { Authority } from './house-certificates.js';
import { HouseRecords } from './house-records.js';
import type { HouseScript } from './house-script.js';
import { HOUSES } from './houses.table.js';
import { PolicyServer } from './policy-server.js';
import { RunningHouse } from './running-house.js';

const AUTHORITY_NAME = 'Postmesh local internet';

/** Each house has a loopback address: the address of a connection selects the house. */
const addressOf = (index: number): string => `127.25.0.${index + 1}`;

/** The houses: their DNS records, their SMTP and HTTPS servers, and their scripts. */
export class Houses {
  readonly running: ReadonlyMap<string, RunningHouse>;
  readonly records: HouseRecords;
  private readonly sinks = new Map<string, SmtpSink>();
  private policies: PolicyServer | undefined;
  /** the SMTP port of all hosts of this internet; 0 when the houses do not run */
  port = 0;

  constructor(
    readonly authority: Authority,
    private readonly logger: Logger,
  ) {
    this.running = new Map(
      HOUSES.map((house, index) => [house.name, new RunningHouse(house, addressOf(index), authority)]),
    );
    this.records = new HouseRecords(this.running, authority);
  }

  /** The port of HTTPS when the houses do not run. */
  get policyPort(): number {
    return this.policies?.port ?? 443;
  }

  /** Listens on every house's address. */
  async start(options: Omit<SinkOptions, 'house' | 'logger'>, port: number): Promise<void> {
    const { logger } = this;
    this.port = port;
    try {
      for (const house of this.running.values()) {
        const listen = { address: house.address, port };
        this.sinks.set(house.name, await SmtpSink.start({ ...options, logger, house }, listen));
      }
    } catch (error) {
      await this.stop();
      // Only Linux has all of 127.0.0.0/8 from the start.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRNOTAVAIL') throw error;
      logger.warn({ event: 'houses.unavailable', err: error }, 'no loopback addresses for houses here');
      return;
    }
    this.policies = await PolicyServer.start(this.running, this.authority, logger);
  }

  /** @returns undefined for a name of no house, and when they do not run */
  recordsAt: HouseRecords['at'] = (name) => (this.policies ? this.records.at(name) : undefined);

  behaveAs(house: RunningHouse, script: HouseScript): void {
    house.behaveAs(script);
    this.sinks.get(house.name)?.tlsChanged();
  }

  reset(house: RunningHouse): void {
    house.reset();
    this.sinks.get(house.name)?.tlsChanged();
  }

  async stop(): Promise<void> {
    await Promise.all([this.policies?.stop(), ...[...this.sinks.values()].map((sink) => sink.stop())]);
    this.sinks.clear();
    this.port = 0;
    this.policies = undefined;
  }
}

export const authorityFileIn = (folder: string): string => join(folder, 'authority.pem');

/** The authority that signs for the houses; stored, so that clients need to trust it only once. */
export async function openAuthority(folder: string): Promise<Authority> {
  const [keyFile, certFile] = [join(folder, 'authority.key'), authorityFileIn(folder)];
  try {
    const [key, cert] = await Promise.all([readFile(keyFile, 'utf8'), readFile(certFile, 'utf8')]);
    return { name: AUTHORITY_NAME, key, cert };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = issueCertificate({ names: [AUTHORITY_NAME], isAuthority: true });
  const authority = { name: AUTHORITY_NAME, ...made };
  await writeFile(keyFile, authority.key, { mode: 0o600 });
  await writeFile(certFile, authority.cert);
  return authority;
}
