import { Injectable } from '@nestjs/common';
import type { MessageId } from '@postmesh/contracts';
import { MessagesRepository } from '../read-message/messages.repository.js';
import { isReadable, ReadMessage } from '../read-message/read-message.js';
import { StoredContents } from '../read-message/stored-contents.js';

/** The content of a page in the browser. */
export interface WebCopy {
  subject: string;
  /** one of the two */
  html?: string | undefined;
  text?: string | undefined;
}

/** The web copies of messages: the recipient's version, without pixel and counted links (spec 3-marketing §5.4). */
@Injectable()
export class WebCopies {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contents: StoredContents,
    private readonly reading: ReadMessage,
  ) {}

  /** @returns undefined when its content is gone. @throws Transient when too much large content is being read */
  async find(id: MessageId): Promise<WebCopy | undefined> {
    const message = await this.messages.find(id);
    if (!message || !isReadable(message, new Date())) return undefined;
    return this.reading.inTurn(message, () => this.contents.readTexts(message));
  }
}
