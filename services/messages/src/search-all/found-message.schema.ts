import { z } from 'zod';
import { pageOf, Timestamp } from '@postmesh/contracts';
import { MessageResource, toMessageResource } from '../read-message/message.resource.js';
import type { StoredMessage } from '../read-message/messages.repository.js';

const FoundMessage = MessageResource.omit({ content: true, content_parsed: true })
  .extend({
    campaign_id: z.uuid().nullable().meta({ description: 'The campaign that it belongs to.' }),
  })
  .meta({ id: 'FoundMessage', description: 'A message of any kind, without its content.' });
export type FoundMessage = z.infer<typeof FoundMessage>;

export const FoundMessagePage = pageOf(FoundMessage)
  .extend({
    searched_until: Timestamp.nullable().meta({
      description:
        'Where the search has stopped: a page may have fewer messages than asked for, or none, and continue. null: everything was looked at.',
    }),
  })
  .meta({ id: 'FoundMessagePage' });

export const toFoundMessage = (message: StoredMessage, now: Date): FoundMessage => ({
  ...toMessageResource(message, undefined, now),
  campaign_id: message.campaignId,
});
