import { newId, type AccountFacts } from '@postmesh/contracts';
import {
  RAW_MESSAGE_TYPE,
  SMTP_ENVELOPE_HEADER,
  type SmtpVerdict,
  type SubmissionResult,
  type Submitter,
} from '@postmesh/messages-contract';
import { SERVICE_TOKEN_HEADER, serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import { DEFAULT_ACCOUNT, type TestService } from '@postmesh/service-testing';

interface SubmissionWanted {
  submitter?: Partial<Submitter>;
  account?: Partial<AccountFacts>;
  sender?: string;
  recipients?: string[];
}

/** The endpoints of submissions, called like a gateway. */
export interface SubmissionCalls {
  submit(raw: string | Buffer, wanted?: SubmissionWanted): Promise<SubmissionResult>;
  judge(sender: string, wanted?: SubmissionWanted): Promise<SmtpVerdict>;
  raw(headers: Record<string, string>, bytes: Buffer): Promise<{ status: number; body: unknown }>;
}

export function submissionCalls(under: TestService): SubmissionCalls {
  const { directory, settings } = under.context;
  const tokens = new ServiceTokens(serviceTokenKeys(settings), 'gateway');
  const local = directory.findLocal('messages');
  if (!local) throw new Error('messages did not announce itself');
  const raw = async (headers: Record<string, string>, bytes: Buffer) => {
    const response = await local.inject({
      method: 'POST',
      path: '/internal/submissions',
      headers: {
        ...headers,
        'content-type': RAW_MESSAGE_TYPE,
        [SERVICE_TOKEN_HEADER]: tokens.make('messages'),
      },
      raw: { bytes, contentType: RAW_MESSAGE_TYPE },
    });
    return { status: response.status, body: JSON.parse(response.bytes.toString()) as unknown };
  };
  const submitterOf = ({ submitter, account }: SubmissionWanted): Submitter => ({
    credential_id: newId(),
    username: 'smtp-abcdefghij0123456789',
    account_id: under.accountId as Submitter['account_id'],
    sandbox: false,
    scope: 'global',
    domains: [],
    blocked: false,
    ...submitter,
    account: { ...DEFAULT_ACCOUNT, ...account },
  });
  return {
    raw,
    judge: async (sender, wanted = {}) => {
      const body = { submitter: submitterOf(wanted), sender };
      return (await under.internal('POST', '/internal/submissions/senders', body)).body as SmtpVerdict;
    },
    submit: async (message, wanted = {}) => {
      const envelope = {
        submitter: submitterOf(wanted),
        sender: wanted.sender ?? 'bounces@shop.test',
        recipients: wanted.recipients ?? ['ann@mail.test'],
        session: { id: newId(), client_ip: '192.0.2.7', helo: 'laptop.lan', tls: 'TLSv1.3' },
      };
      const header = Buffer.from(JSON.stringify(envelope)).toString('base64url');
      const { status, body } = await raw({ [SMTP_ENVELOPE_HEADER]: header }, Buffer.from(message as string));
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body as SubmissionResult;
    },
  };
}

/** Joins lines with CRLF, as in SMTP. */
export const messageOf = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`;
