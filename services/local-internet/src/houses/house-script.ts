import { z } from 'zod';

const count = (most: number) => z.number().int().min(1).max(most);
/** An hour: no test waits for longer. */
const seconds = z.number().min(0).max(3_600);

/** Reply of a house that refuses a message. A line break makes a reply of several lines. */
const HouseReply = z.strictObject({
  code: z.number().int().min(400).max(599),
  /** begins with the enhanced status code */
  text: z.string().max(1_000),
});
export type HouseReply = z.infer<typeof HouseReply>;

/** Stage of a transaction at which a house refuses. */
const Stage = z.enum(['mail', 'rcpt', 'data']);
export type Stage = z.infer<typeof Stage>;

/**
 * Behaviour of a house; absent fields mean the usual behaviour of a server. All counts are per address of the client,
 * as at providers. Every field can be changed while it runs (`PUT /api/houses/<name>`).
 */
export const HouseScript = z.strictObject({
  /** accepts connections and never sends anything */
  silent: z.boolean().optional(),
  /** limit of concurrent connections; one more gets the reply instead of a greeting */
  connections: z.strictObject({ most: count(10_000), reply: HouseReply }).optional(),
  /** messages per connection, which is then closed without a reply */
  perConnection: z.strictObject({ most: count(100_000) }).optional(),
  /** above this rate it accepts no message for a while, whatever the client does */
  rate: z
    .strictObject({
      messages: count(100_000),
      perSeconds: seconds,
      forSeconds: seconds,
      at: Stage,
      reply: HouseReply,
    })
    .optional(),
  /** above this rate it accepts no message until the client has made no attempt for a while */
  untilQuiet: z
    .strictObject({
      messages: count(100_000),
      perSeconds: seconds,
      quietSeconds: seconds,
      at: Stage,
      reply: HouseReply,
    })
    .optional(),
  /** a triplet of client, sender and recipient is accepted when it is retried after this time, not sooner */
  greylist: z.strictObject({ seconds, reply: HouseReply }).optional(),
  /** sends everything at this rate, without TLS */
  bytesPerSecond: count(1_000_000).optional(),
  /** the connection is cut: during the message, at its dot, or after it was stored but before the reply */
  cut: z.enum(['before-dot', 'at-dot', 'after-dot']).optional(),
  /** lines of every reply, with bytes that are not UTF-8 */
  replyLines: count(500).optional(),
  /** offers SMTPUTF8 (RFC 6531) */
  smtpUtf8: z.boolean().default(true),
  tls: z
    .enum(['good', 'self-signed', 'none', 'old', 'wrong-name', 'expired', 'refused', 'injected'])
    .default('good'),
  dns: z
    .strictObject({
      /**
       * `shared`: its domain and every name below it have its host. `each`: every name below has a host of its own,
       * all at its address. `null`: accepts no mail (RFC 7505). `backup`: a host without a listener, then its own.
       */
      mx: z.enum(['shared', 'each', 'null', 'backup']).default('shared'),
      /** its names are signed: answers have AD */
      secure: z.boolean().default(false),
      /**
       * TLSA records at `_25._tcp.<host>`: its key (3 1 1), its authority (2 0 1), another key, records that no client
       * can use, or name servers that fail.
       */
      tlsa: z.enum(['key', 'authority', 'bad', 'unusable', 'failing']).optional(),
      /** MTA-STS (RFC 8461); `gone`: a record without a policy; `other-host`: the policy names another host */
      sts: z.enum(['enforce', 'testing', 'none', 'gone', 'other-host']).optional(),
      /** another house whose host accepts its mail */
      hostOf: z.string().max(63).optional(),
    })
    .default({ mx: 'shared', secure: false }),
});
export type HouseScript = z.infer<typeof HouseScript>;
export type HouseScriptInput = z.input<typeof HouseScript>;
