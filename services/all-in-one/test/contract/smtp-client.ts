import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Postmesh } from './harness.js';
import { ok, type Sender } from './sender.js';

export interface Login {
  user: string;
  pass: string;
}

/** An SMTP credential of the sender's account; global and for real mail by default. */
export async function newLogin(sender: Sender, more: object = {}): Promise<Login> {
  const body = { name: 'test', scope: 'global', ...more };
  const { username: user, password: pass } = ok(await sender.api('POST', '{A}/smtp-credentials', body), 201);
  return { user, pass };
}

/** The last reply of the server, to any command. */
export interface LastReply {
  reply: string;
  /** the id in a 250 */
  id: string;
}

export interface Mail extends Omit<SendMailOptions, 'envelope'> {
  envelope: { from: string; to: string[] };
}

/** Sends one message with the library that most Node applications use: STARTTLS, AUTH, pipelining where it does so. */
export async function submit(
  { credentials }: Pick<Postmesh, 'credentials'>,
  login: Login,
  mail: Mail,
): Promise<LastReply> {
  const { port } = credentials.smtp;
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: login,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { response } = await transport.sendMail(mail as SendMailOptions);
    return { reply: response, id: /^250 2\.0\.0 OK (\S+)$/.exec(response)?.[1] ?? '' };
  } catch (error) {
    const { response } = error as { response?: string };
    if (response === undefined) throw error;
    return { reply: response, id: '' };
  } finally {
    transport.close();
  }
}

/** A message that is sent byte for byte. */
export const rawMail = (envelope: Mail['envelope'], ...lines: readonly string[]): Mail => ({
  envelope,
  raw: `${lines.join('\r\n')}\r\n`,
});
