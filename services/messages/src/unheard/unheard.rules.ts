import { MessageAccepted, SandboxResult, type EventEnvelope } from '@postmesh/contracts';

/** What the rows say of a send request: enough to tell of it again. */
export interface UnheardSendRequest {
  id: string;
  account_id: string;
  domain_id: string;
  domain: string;
  sender: string;
  subject: string;
  message_id_header: string;
  content_id: string;
  size: number;
  created_at: Date;
  first_attempt: Date | null;
  expires: Date | null;
  sandbox: string | null;
  recipients: { id: string; email: string }[];
}

/**
 * The event of a send request. Its id is the send request's, so that telling of it twice is one event to whoever
 * keeps an inbox.
 */
export function toAcceptedEvent(row: UnheardSendRequest, returnPathHost: string): EventEnvelope {
  const event = MessageAccepted.make(
    {
      send_request_id: row.id,
      domain_id: row.domain_id,
      domain: row.domain,
      sender: row.sender,
      subject: row.subject,
      message_id_header: row.message_id_header,
      content_id: row.content_id,
      size: row.size,
      return_path_host: returnPathHost,
      accepted_at: row.created_at.toISOString(),
      first_attempt: row.first_attempt?.toISOString() ?? null,
      expires: row.expires?.toISOString() ?? null,
      sandbox: row.sandbox === null ? null : SandboxResult.parse(row.sandbox),
      recipients: row.recipients,
    },
    { account_id: row.account_id, occurred_at: row.created_at },
  );
  return { ...event, id: row.id };
}
