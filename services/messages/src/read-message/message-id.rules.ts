import { MessageId, trimText } from '@postmesh/contracts';

/** The target of a path segment: a record, or a Message-ID, which several records may share. */
export type MessageReference = { id: MessageId } | { header: string };

// longer than a line of a message may be (RFC 5322 §2.1.1)
const MAX_HEADER_LENGTH = 998;

/**
 * The bare uuid, or a Message-ID with or without its angle brackets (spec 2-messages §2.2).
 * @returns undefined when it is neither; `header` has its angle brackets
 */
export function readMessageReference(text: string): MessageReference | undefined {
  const inner = /^<(.*)>$/s.exec(trimText(text))?.[1] ?? trimText(text);
  const id = MessageId.safeParse(inner);
  if (id.success) return { id: id.data };
  const isMessageId = /^[^@\0][^\0]*@[^\0]+$/.test(inner) && inner.length <= MAX_HEADER_LENGTH;
  return isMessageId ? { header: `<${inner}>` } : undefined;
}
