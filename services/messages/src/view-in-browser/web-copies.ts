import { Injectable } from '@nestjs/common';
import type { MessageId } from '@postmesh/contracts';
import { MessagesRepository } from '../read-message/messages.repository.js';
import { isReadable, ReadMessage } from '../read-message/read-message.js';
import { StoredContents } from '../read-message/stored-contents.js';

/** What a person reads in a browser. */
export interface WebCopy {
  subject: string;
  /** either of them */
  html?: string | undefined;
  text?: string | undefined;
}

/** The web copies of messages, as their recipients got them, but for pixel and counted links (spec 3-marketing §5.4). */
@Injectable()
export class WebCopies {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contents: StoredContents,
    private readonly reading: ReadMessage,
  ) {}

  /** @returns undefined when it is not kept any more. @throws Transient when too much large content is being read */
  async find(id: MessageId): Promise<WebCopy | undefined> {
    const message = await this.messages.find(id);
    if (!message || !isReadable(message, new Date())) return undefined;
    return this.reading.inTurn(message, () => this.contents.readTexts(message));
  }
}
