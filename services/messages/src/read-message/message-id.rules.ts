import { MessageId } from '@postmesh/contracts';

/**
 * The record that a path segment names: the bare uuid, or a Message-ID with or without its angle brackets,
 * whose left part is the uuid of the first record (spec 2-messages §2.2).
 * @returns undefined when it is neither
 */
export function readMessageReference(text: string): { id: MessageId; host: string | undefined } | undefined {
  const inner = /^<(.*)>$/.exec(text.trim())?.[1] ?? text.trim();
  const at = inner.lastIndexOf('@');
  const id = MessageId.safeParse(at < 0 ? inner : inner.slice(0, at));
  if (!id.success) return undefined;
  return { id: id.data, host: at < 0 ? undefined : inner.slice(at + 1).toLowerCase() };
}
