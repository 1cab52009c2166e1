import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';

const header = z.string().meta({ description: 'As received; empty when there is none.' });

const Attachment = z.object({
  filename: z.string(),
  content_type: z.string(),
  content_id: z
    .string()
    .meta({ description: 'Without angle brackets, percent-decoded; empty when there is none.' }),
  disposition: z.string().meta({ description: 'In lower case; empty when the part had none.' }),
  data: z.string().meta({ contentEncoding: 'base64' }),
});

/** The body of a call to the URL of a route (spec 2-messages §19.4). Every key but `headers` is present. */
export const RouteCall = z
  .object({
    type: z.literal('message.routing'),
    timestamp: Timestamp.meta({ description: 'When the message arrived.' }),
    route_id: z.uuid(),
    data: z.object({
      id: z.string().meta({ description: 'The id of the message: 32 hexadecimal digits.' }),
      from: header,
      reply_to: z.string().meta({ description: 'One address: of the first Reply-To mailbox, else of From.' }),
      to: z.string().meta({ description: 'The envelope recipient that matched.' }),
      subject: header,
      message_id: header,
      size: z.number().int().min(0).meta({ description: 'Bytes of the raw message.' }),
      spam_score: z.number().meta({ description: '0: not checked.' }),
      bounce: z.boolean().meta({ description: 'Whether it is a delivery report.' }),
      cc: header,
      date: header,
      in_reply_to: header,
      references: header,
      auto_submitted: header,
      html_body: z.string(),
      plain_body: z.string(),
      reply_from_plain_body: z.string().meta({
        description: 'The new text without what it quotes, with `strip_replies`; else empty.',
      }),
      attachments: z.array(Attachment).meta({ description: 'Empty without `attachments`.' }),
      headers: z
        .record(z.string(), z.string())
        .optional()
        .meta({ description: 'The first value of each field, with `headers` only.' }),
    }),
  })
  .meta({ id: 'RouteCall', description: 'A message that arrived for a route.' });
