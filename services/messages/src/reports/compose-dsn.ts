import { Inject, Injectable } from '@nestjs/common';
import { failureKind } from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { SendRequest } from '../accept/send-request.rules.js';
import { MessagesRepository, type StoredMessage } from '../read-message/messages.repository.js';
import { StoredContents } from '../read-message/stored-contents.js';
import { SystemDomain } from '../system-mail/system-domain.js';
import { isReport, toDsnRequest } from './dsn-message.rules.js';

/** The report about one message of a batch; undefined: no report is due. */
export type DsnMessages = (messageId: string) => Promise<SendRequest | undefined>;

// Above this size the header of the original is written from its record: composing the whole is not worth its cost.
const MAX_COMPOSED_BYTES = 1024 * 1024;

/** Composes reports to senders: from the records of their messages, and from the sent message while it is kept. */
@Injectable()
export class ComposeDsn {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contents: StoredContents,
    private readonly systemDomain: SystemDomain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param recipients by message
   * @throws Transient when the domains service is unavailable
   */
  async of(recipients: ReadonlyMap<string, string>): Promise<DsnMessages> {
    const [stored, domain] = await Promise.all([
      this.messages.findAll([...recipients.keys()]),
      this.systemDomain.find(),
    ]);
    const byId = new Map<string, StoredMessage>(stored.map((message) => [message.id, message]));
    return async (id) => {
      const message = byId.get(id);
      return message && this.compose(message, recipients.get(id) ?? '', domain);
    };
  }

  private async compose(
    message: StoredMessage,
    to: string,
    domain: DomainFacts,
  ): Promise<SendRequest | undefined> {
    const isKept = !message.hideWhenDone && message.size <= MAX_COMPOSED_BYTES;
    const sent = isKept ? await this.contents.read(message).catch(unlessTransient) : undefined;
    if (isReport(sent)) return undefined;
    const host = `mx.${this.settings.serviceZone}`;
    return toDsnRequest(message, { domain, to, sent, host, now: new Date() });
  }
}

/** The record is sufficient for a message that can no longer be composed. */
function unlessTransient(error: unknown): undefined {
  if (failureKind(error) === 'transient') throw error;
  return undefined;
}
