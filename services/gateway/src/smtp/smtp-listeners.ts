import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { selfSignedCertificate, type KeyAndCertificate } from '@postmesh/secrets';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { RefusedRequests } from '../refused-requests/refused-requests.js';
import { InboundMail } from './inbound/inbound-mail.js';
import { ConnectionLimits } from './limits/connection-limits.js';
import { Logins } from './login/logins.js';
import { SmtpListener } from './smtp-listener.js';
import { smtpEndpoints, type ListenerRole } from './smtp-listeners.rules.js';
import { SmtpMetrics } from './smtp-metrics.js';
import { Submissions } from './submissions.js';

export interface OpenSmtpListener {
  role: ListenerRole;
  port: number;
}

/** Opens the SMTP ports of the settings. */
@Injectable()
export class SmtpListeners {
  private listeners: SmtpListener[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: SmtpMetrics,
    private readonly logins: Logins,
    private readonly submissions: Submissions,
    private readonly inbound: InboundMail,
    private readonly refused: RefusedRequests,
  ) {}

  /** @throws Error that names the setting when a port cannot be opened or the certificate cannot be read */
  async open(): Promise<OpenSmtpListener[]> {
    const { settings, logger, metrics, logins, submissions, inbound, refused } = this;
    const limits = new ConnectionLimits(settings);
    const parts = { settings, logger, metrics, limits, logins, submissions, inbound, refused };
    const tls = await tlsMaterial(this.settings, this.logger);
    const open: OpenSmtpListener[] = [];
    for (const endpoint of smtpEndpoints(this.settings)) {
      const name = `${endpoint.role === 'inbound' ? 'mx' : 'smtp'}.${settings.serviceZone}`;
      const listener = new SmtpListener({ ...parts, endpoint, name, tls });
      const port = await listener.listen();
      this.listeners.push(listener);
      open.push({ role: endpoint.role, port });
    }
    return open;
  }

  async close(): Promise<void> {
    const listeners = this.listeners;
    this.listeners = [];
    await Promise.all(listeners.map((listener) => listener.close()));
  }
}

type TlsSettings = Pick<Settings, 'smtpTlsCertFile' | 'smtpTlsKeyFile' | 'dataDir' | 'serviceZone'>;

/**
 * Key and certificate of the SMTP listeners: the given files, or a self-signed pair that is made once and
 * kept in the data directory, so that clients that pinned it see the same one after each start.
 * @throws Error when only one of the two files is given, or one cannot be read
 */
async function tlsMaterial(settings: TlsSettings, logger: Logger): Promise<KeyAndCertificate> {
  const { smtpTlsCertFile: certFile, smtpTlsKeyFile: keyFile } = settings;
  if (certFile !== undefined && keyFile !== undefined) {
    return readPair(keyFile, certFile).catch((error: NodeJS.ErrnoException) => {
      const setting = error.path === keyFile ? 'POSTMESH_SMTP_TLS_KEY_FILE' : 'POSTMESH_SMTP_TLS_CERT_FILE';
      throw new Error(`${setting} cannot be read: ${error.message}`, { cause: error });
    });
  }
  if (certFile !== undefined || keyFile !== undefined) {
    throw new Error('POSTMESH_SMTP_TLS_CERT_FILE and POSTMESH_SMTP_TLS_KEY_FILE belong together');
  }
  return selfSigned(settings, logger);
}

async function readPair(keyFile: string, certFile: string): Promise<KeyAndCertificate> {
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
}

async function selfSigned({ dataDir, serviceZone }: TlsSettings, logger: Logger): Promise<KeyAndCertificate> {
  const folder = join(dataDir, 'tls');
  const [keyFile, certFile] = [join(folder, 'smtp.key.pem'), join(folder, 'smtp.cert.pem')];
  try {
    return await readPair(keyFile, certFile);
  } catch {
    // none was made yet
  }
  const made = selfSignedCertificate([`smtp.${serviceZone}`, `mx.${serviceZone}`, 'localhost', '127.0.0.1']);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(keyFile, made.key, { mode: 0o600 });
    await writeFile(certFile, made.cert, { mode: 0o600 });
  } catch (error) {
    logger.warn(
      { event: 'smtp_certificate.not_stored', err: error },
      'storing the self-signed certificate failed, next start makes another',
    );
  }
  return made;
}
