import { createHash } from 'node:crypto';
import { parseEmailAddress } from '@postmesh/mail-format';
import type { EventOf } from '@postmesh/contracts';
import type { MessageReceived } from '@postmesh/messages-contract';
import { plainAddress, takesAddress } from './recipient-pattern.rules.js';
import type { EnabledRoute } from './enabled-routes.js';

/** Public type of a route's calls (spec 2-messages §19.4). */
export const ROUTING_TYPE = 'message.routing';

type Received = EventOf<typeof MessageReceived>['data'];
type Recipient = Received['recipients'][number];

/** The recipients of a received message that match one route, in the order of the envelope. */
export interface RoutedMessage {
  route: EnabledRoute;
  recipients: [Recipient, ...Recipient[]];
}

/**
 * Every enabled route that matches a recipient gets the message, specific and wildcard ones alike
 * (spec 1-platform §13.4 rule 3).
 * @param routes of the account
 */
export function routedTo(received: Received, routes: readonly EnabledRoute[]): RoutedMessage[] {
  const addresses = received.recipients.flatMap((recipient) => {
    const parsed = parseEmailAddress(recipient.email);
    return parsed.ok ? [{ recipient, address: plainAddress(parsed.address.address) }] : [];
  });
  return routes.flatMap((route) => {
    const takes = takesAddress(route.recipient);
    const [first, ...others] = addresses
      .filter(({ address }) => takes(address))
      .map(({ recipient }) => recipient);
    return first ? [{ route, recipients: [first, ...others] }] : [];
  });
}

/**
 * The identity of a message for a grouping route, across sessions and domains. A message without Message-ID
 * is always distinct.
 */
export function groupingKey({ message_id_header, receipt_id }: Received): string {
  const id = message_id_header.trim();
  return createHash('sha256')
    .update(id === '' ? `receipt ${receipt_id}` : id)
    .digest('base64url');
}
