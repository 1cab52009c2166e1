import { Injectable } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';

/** Metrics of the SMTP listeners. */
@Injectable()
export class SmtpMetrics {
  readonly sessions;
  readonly connections;
  readonly refusedConnections;
  readonly logins;
  readonly messages;
  readonly bytes;
  readonly rejections;

  constructor(metrics: Metrics) {
    this.sessions = metrics.counter('postmesh_smtp_sessions_total', 'SMTP sessions of clients', [
      'listener',
      'tls',
    ]);
    this.connections = metrics.gauge('postmesh_smtp_sessions_open', 'SMTP sessions of clients now', [
      'listener',
    ]);
    this.refusedConnections = metrics.counter(
      'postmesh_smtp_refused_connections_total',
      'SMTP connections that were refused at once',
      ['listener', 'reason'],
    );
    this.logins = metrics.counter('postmesh_smtp_logins_total', 'SMTP logins', ['result']);
    this.messages = metrics.counter('postmesh_smtp_messages_total', 'Messages of SMTP clients', [
      'way',
      'result',
    ]);
    this.bytes = metrics.counter('postmesh_smtp_message_bytes_total', 'Bytes of messages of SMTP clients', [
      'way',
    ]);
    this.rejections = metrics.counter('postmesh_smtp_rejections_total', 'Replies of 400 and above', [
      'listener',
      'code',
    ]);
  }
}
