import { bodyText, readLeaves, type AttachedPart, type Part } from '@postmesh/mail-format';

/** The parts of a message for a route, still encoded. */
export interface RouteParts {
  plain: readonly Part[];
  html: readonly Part[];
  attachments: readonly RouteAttachment[];
}

export interface RouteAttachment extends AttachedPart {
  /** brackets stripped, percent-decoded */
  contentId: string;
}

/** Displayed texts are the bodies; other parts are attachments, in the order of spec 2-messages §16 rule 6. */
export function routeParts(root: Part): RouteParts {
  const { bodies, attachments } = readLeaves(root, ['text/plain', 'text/html']);
  return {
    plain: bodies.filter(({ type }) => type === 'text/plain'),
    html: bodies.filter(({ type }) => type === 'text/html'),
    attachments: attachments
      .toSorted((one, other) => rank(one) - rank(other))
      .map((attached) => ({ ...attached, contentId: decodedId(attached.contentId) })),
  };
}

/** Conventional attachments, parts with another disposition (mostly inline), parts without one. */
function rank({ disposition }: AttachedPart): number {
  if (disposition === 'attachment') return 0;
  return disposition === '' ? 2 : 1;
}

/** Brackets stripped, percent-decoded with `+` as a blank (spec 2-messages §19.4). */
function decodedId(value: string): string {
  const bare = value.replace(/^<|>$/g, '').replaceAll('+', ' ');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

/** The text of the bodies of one kind; several follow each other on new lines. */
export const joinedText = (parts: readonly Part[]): string => parts.map(bodyText).join('\r\n');
