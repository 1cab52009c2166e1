import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** The state of a delivery after an attempt, or after the worker gave it up. */
export const DeliveryOutcome = z.enum(['delivered', 'deferred', 'bounced', 'failed', 'suppressed']);
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

/** The limit that ended a message that no server rejected. `expires`: the limit of the sender. */
export const GiveUpReason = z.enum(['attempts', 'window', 'expires']);
export type GiveUpReason = z.infer<typeof GiveUpReason>;

/** Result of a TLS handshake: no encryption, an untrusted certificate, a certificate proved by a CA or by DANE. */
export const TlsVerdict = z.enum(['clear', 'untrusted', 'pkix', 'dane']);
export type TlsVerdict = z.infer<typeof TlsVerdict>;

/** The policy of the recipient's domain that requires TLS: none, MTA-STS (RFC 8461) or DANE (RFC 7672). */
export const TlsPolicy = z.enum(['none', 'sts', 'dane']);
export type TlsPolicy = z.infer<typeof TlsPolicy>;

/** The reply of the remote server; absent when no server was contacted (window over, suppressed). */
export const RemoteReply = z.object({
  /** 0 = our own text, no code was received */
  smtp_code: z.number().int(),
  enhanced_status_code: z.string().optional(),
  response: z.string().optional(),
  /** the command of the reply, without arguments */
  command: z.string().optional(),
  /** the failure class of this reply; an expired message has a class of its own */
  classification: z.string().optional(),
  /** the kind of the reply, finer than its class (libs/smtp-replies); decides the suppression */
  kind: z.string().optional(),
  /** the matching row of docs/replies.md, for operators */
  rule: z.string().optional(),
});
export type RemoteReply = z.infer<typeof RemoteReply>;

/**
 * An attempt ended, or the worker gave up. One type for every outcome, so that consumers take them in
 * large batches, in their order per destination. The messages service handles it, and publishes `message-changed` for others
 * (decision 108).
 */
export const DeliveryAttempted = defineEvent({
  type: 'delivery-attempted',
  version: 1,
  stream: 'deliveries',
  data: z.object({
    /** the message record */
    message_id: z.string(),
    send_request_id: z.string(),
    /** left out when it is no message of a campaign */
    campaign_id: z.string().optional(),
    domain_id: z.string(),
    domain: z.string(),
    sender: z.string(),
    /** name of the author, only for messages of campaigns; left out when there is none */
    sender_name: z.string().optional(),
    recipient: z.string(),
    subject: z.string(),
    message_id_header: z.string(),
    outcome: DeliveryOutcome,
    /** no server was contacted: the message status is one of the sandbox ones */
    sandbox: z.boolean(),
    /** SMTP attempts made so far */
    attempt: z.number().int(),
    /** start of this attempt; null when none was made */
    started_at: z.string().nullable(),
    finished_at: z.string(),
    /** start of the very first attempt */
    first_attempt_at: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    /** time of acceptance, from which delivery times are measured */
    accepted_at: z.string().optional(),
    /** tags of the message, for statistics; left out when there are none */
    tags: z.array(z.string()).optional(),
    reply: RemoteReply.nullable(),
    /** why the message ended without being delivered (`MessageExpired`, …), bounced and failed only */
    classification: z.string().nullable().optional(),
    give_up: GiveUpReason.nullable().optional(),
    /** the final dot was sent and its reply was lost: the message may arrive twice */
    uncertain: z.boolean(),
    remote_host: z.string().nullable(),
    tls: z.boolean(),
    /** IP address of the server; this and the next four are left out when not known */
    remote_address: z.string().optional(),
    /** `TLSv1.3` */
    tls_protocol: z.string().optional(),
    tls_cipher: z.string().optional(),
    tls_verdict: TlsVerdict.optional(),
    tls_policy: TlsPolicy.optional(),
    /** id of our source address, where there are several */
    source: z.string().optional(),
    /** destination with a shard number: the key that keeps the order of events */
    destination: z.string(),
  }),
  key: (data) => data.destination,
  examples: [
    {
      message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'news@shop.test',
      recipient: 'ann@mail.test',
      subject: 'Your order',
      message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      outcome: 'delivered',
      sandbox: false,
      attempt: 1,
      started_at: '2026-01-05T08:00:01.000Z',
      finished_at: '2026-01-05T08:00:02.000Z',
      first_attempt_at: '2026-01-05T08:00:01.000Z',
      next_attempt_at: null,
      accepted_at: '2026-01-05T08:00:00.120Z',
      tags: ['orders'],
      reply: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
      classification: null,
      give_up: null,
      uncertain: false,
      remote_host: 'mx.mail.test',
      tls: true,
      remote_address: '192.0.2.25',
      tls_protocol: 'TLSv1.3',
      tls_cipher: 'TLS_AES_256_GCM_SHA384',
      tls_verdict: 'pkix',
      tls_policy: 'sts',
      destination: 'mail.test#3',
    },
  ],
});
