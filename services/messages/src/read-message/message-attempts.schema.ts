import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import { DoctorCheckId } from '@postmesh/domains-contract';
import { TlsPolicy, TlsVerdict, WaitCause } from '@postmesh/delivery-worker-contract';
import { explainingCheck } from '../doctor/explaining-checks.rules.js';
import type { Wait } from './message-timeline.rules.js';
import type { StoredAttempt } from './messages.repository.js';

const Attempt = z.object({
  started_at: Timestamp.nullable(),
  finished_at: Timestamp,
  status: z.string().meta({ description: 'As in the message.' }),
  log: z.string().meta({ description: 'The words of the remote server.' }),
  classification: z.string().nullable().meta({ description: 'The class of a bounce or a failure.' }),
  host: z.string().nullable().meta({ description: 'The remote server; null when none was contacted.' }),
  address: z.string().nullable().meta({ description: 'Its IP address.' }),
  tls: z
    .object({
      encrypted: z.boolean(),
      protocol: z.string().nullable(),
      cipher: z.string().nullable(),
      verdict: TlsVerdict.nullable().meta({
        description: 'Whether the certificate was proved, and by what.',
      }),
      policy: TlsPolicy.nullable().meta({ description: 'The policy that requires TLS.' }),
    })
    .nullable()
    .meta({ description: 'Null when no server was contacted.' }),
  uncertain: z
    .boolean()
    .meta({ description: 'The reply to the whole message was lost: it may have arrived.' }),
  next_attempt_at: Timestamp.nullable(),
  check: DoctorCheckId.nullable().meta({
    description: 'The check of the doctor of the domain that explains the reply; null: none does.',
  }),
});

export const MessageAttempts = z
  .object({
    object: z.literal('message_attempts'),
    wait: z
      .object({
        cause: WaitCause.nullable(),
        reason: z.string().nullable().meta({
          description: 'In words, where a provider, the domain or the account holds it up.',
        }),
        until: Timestamp.nullable().meta({ description: 'Null: it is not known.' }),
      })
      .nullable()
      .meta({ description: 'The cause of its wait; null when it does not wait.' }),
    data: z.array(Attempt).meta({ description: 'In their order, as in the message.' }),
  })
  .meta({ id: 'MessageAttempts', description: 'How a message was delivered, and what it waits for.' });
export type MessageAttempts = z.infer<typeof MessageAttempts>;

/** Words about the others are for operators: they have figures of the whole installation. */
const IN_WORDS: ReadonlySet<string> = new Set<WaitCause>(['provider', 'domain', 'account']);

export const messageAttempts = (
  attempts: readonly StoredAttempt[],
  { cause, reason, until }: Wait,
): MessageAttempts => ({
  object: 'message_attempts',
  wait: reason === null ? null : { cause, reason: cause && IN_WORDS.has(cause) ? reason : null, until },
  data: attempts.map((attempt) => ({
    started_at: attempt.startedAt,
    finished_at: attempt.finishedAt,
    status: attempt.status,
    log: attempt.log,
    classification: attempt.classification || null,
    host: attempt.remoteHost,
    address: attempt.remoteAddress,
    tls: tlsOf(attempt),
    uncertain: attempt.uncertain,
    next_attempt_at: attempt.nextAttemptAt,
    check: explainingCheck(attempt),
  })),
});

const tlsOf = ({ tls, tlsProtocol, tlsCipher, tlsVerdict, tlsPolicy }: StoredAttempt) =>
  tls === null
    ? null
    : {
        encrypted: tls,
        protocol: tlsProtocol,
        cipher: tlsCipher,
        verdict: TlsVerdict.nullable().catch(null).parse(tlsVerdict),
        policy: TlsPolicy.nullable().catch(null).parse(tlsPolicy),
      };
