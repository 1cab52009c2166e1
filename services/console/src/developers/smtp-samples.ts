interface Where {
  readonly host: string;
  readonly ports: readonly number[];
  readonly self_signed: boolean;
}

const NODEMAILER = 'nodemailer';

/** A first message by SMTP, ready to be pasted: username and password come from the environment. */
export const SMTP_SAMPLES = [
  {
    id: 'swaks',
    text: ({ host, ports: [port] }: Where): string =>
      [
        `swaks --server ${host} --port ${port} --tls`,
        '--auth PLAIN --auth-user "$SMTP_USERNAME" --auth-password "$SMTP_PASSWORD"',
        '--from hello@mail.example.com --to ann@example.com',
        "--header 'Subject: Hello' --body 'The first message.'",
      ].join(' \\\n  '),
  },
  {
    id: 'Nodemailer',
    text: ({ host, ports: [port], self_signed }: Where): string => `// npm install ${NODEMAILER}
import nodemailer from '${NODEMAILER}';

const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  secure: false, // STARTTLS, before the login
  requireTLS: true,
  auth: { user: process.env.SMTP_USERNAME, pass: process.env.SMTP_PASSWORD },${
    self_signed
      ? '\n  tls: { rejectUnauthorized: false }, // until this server has a certificate of an authority'
      : ''
  }
});

await transport.sendMail({
  from: 'hello@mail.example.com',
  to: 'ann@example.com',
  subject: 'Hello',
  text: 'The first message.',
});`,
  },
] as const;
