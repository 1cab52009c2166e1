import { newId } from '@postmesh/contracts';
import { headerLines, headerText } from '../letters/header-lines.rules.js';
import type { Letter } from '../letters/letter.js';
import type { TakenLetter } from './smtp-sink.js';

/** What the list of letters shows, read from the envelope and the header. */
export function describeLetter({ raw, ...envelope }: TakenLetter): Letter {
  const lines = headerLines(raw);
  return {
    id: newId(),
    receivedAt: new Date().toISOString(),
    ...envelope,
    from: headerText(lines, 'from'),
    subject: headerText(lines, 'subject'),
    size: raw.length,
  };
}
