import { Injectable } from '@nestjs/common';
import type { RenderedPreview } from '@postmesh/messages-contract';
import {
  composeMessage,
  messageBytes,
  parseMessage,
  UnsafeMessage,
  type MessageContent,
} from '@postmesh/mail-format';
import {
  MessageRenderer,
  messageContentOf,
  RenderFailed,
  type MessageRecipient,
  type RequestContent,
} from '@postmesh/message-content';
import type { RenderLimits } from '@postmesh/templates';

/** A content, with or without a sender. */
export type PreviewedContent = Omit<RequestContent, 'from'> & { from: RequestContent['from'] | null };

/** Header fields that are added at sending, and those that describe the encoding of the body. */
const LEFT_OUT = /^(?:date|message-id|mime-version|content-.*)$/i;
/** A placeholder for a missing sender, not shown. */
export const NO_SENDER = { email: 'sender@example.com', name: '' };

/** The names of the fields in a write of a template or campaign. */
const FIELDS: Readonly<Record<string, string>> = {
  html_content: 'content.html',
  text_content: 'content.text',
};

/** Renders the message to one recipient with the code of sends; nothing is stored or tracked. */
@Injectable()
export class PreviewMessage {
  constructor(private readonly renderer: MessageRenderer) {}

  /**
   * A part that cannot be rendered is left out and listed, so that the others are shown.
   * @param signal aborted when the preview is no longer needed
   * @throws Transient when it cannot be rendered now; the reason of the signal
   */
  async execute(
    content: PreviewedContent,
    recipient: MessageRecipient,
    limits: RenderLimits,
    signal?: AbortSignal,
  ): Promise<RenderedPreview> {
    const problems: RenderedPreview['problems'] = [];
    const renderer = {
      render: (job: Parameters<MessageRenderer['render']>[0]) => this.renderer.render({ ...job, limits }),
    };
    let left: RequestContent = { ...content, from: content.from ?? NO_SENDER };
    for (;;) {
      try {
        const made = await messageContentOf(left, recipient, renderer, signal);
        const headers = await readHeaders(made, problems);
        if (content.from === null) delete headers['From'];
        return { subject: made.subject, html: made.html || null, text: made.text || null, headers, problems };
      } catch (error) {
        if (!(error instanceof RenderFailed)) throw error;
        problems.push({ part: FIELDS[error.part] ?? error.part, reason: error.reason });
        left = withoutPart(left, error);
      }
    }
  }
}

/** @throws RenderFailed for a part that is already left out */
function withoutPart(content: RequestContent, failed: RenderFailed): RequestContent {
  switch (failed.part) {
    case 'subject':
      return { ...content, subject: '' };
    case 'html_content':
      return { ...content, html: undefined, preheader: undefined };
    case 'text_content':
      return { ...content, text: undefined };
    case 'preheader':
      return { ...content, preheader: undefined };
  }
  const headers = content.headers?.filter(({ name }) => `headers.${name}` !== failed.part);
  if (headers?.length === content.headers?.length) throw failed;
  return { ...content, headers };
}

/** As in the message. */
async function readHeaders(
  made: MessageContent,
  problems: RenderedPreview['problems'],
): Promise<Record<string, string[]>> {
  try {
    const head = { ...made, html: undefined, amp: undefined, attachments: undefined, text: '.' };
    const { headers } = await parseMessage(Buffer.concat(messageBytes(await composeMessage(head))));
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.test(name)));
  } catch (error) {
    if (!(error instanceof UnsafeMessage)) throw error;
    problems.push({ part: 'headers', reason: error.message });
    return {};
  }
}
