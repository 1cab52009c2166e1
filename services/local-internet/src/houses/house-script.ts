import { z } from 'zod';

const count = (most: number) => z.number().int().min(1).max(most);
/** An hour: what is longer no test waits for. */
const seconds = z.number().min(0).max(3_600);

/** What a house says when it does not take a message. A line break makes a reply of several lines. */
const HouseReply = z.strictObject({
  code: z.number().int().min(400).max(599),
  /** begins with the enhanced status code */
  text: z.string().max(1_000),
});
export type HouseReply = z.infer<typeof HouseReply>;

/** When in a transaction a house says no. */
const Stage = z.enum(['mail', 'rcpt', 'data']);
export type Stage = z.infer<typeof Stage>;

/**
 * How a house behaves; what is not said it does as any server. All counts are per address of the client, as providers
 * count. Every field can be set anew while it runs (`PUT /api/houses/<name>`).
 */
export const HouseScript = z.strictObject({
  /** takes connections and never says anything */
  silent: z.boolean().optional(),
  /** that many connections at once; one more gets the reply instead of a greeting */
  connections: z.strictObject({ most: count(10_000), reply: HouseReply }).optional(),
  /** after that many messages of a connection it closes it without a word */
  perConnection: z.strictObject({ most: count(100_000) }).optional(),
  /** above that many messages in that time none is taken for a while, whatever the client does */
  rate: z
    .strictObject({
      messages: count(100_000),
      perSeconds: seconds,
      forSeconds: seconds,
      at: Stage,
      reply: HouseReply,
    })
    .optional(),
  /** above that many messages in that time none is taken until nobody has tried for a while */
  untilQuiet: z
    .strictObject({
      messages: count(100_000),
      perSeconds: seconds,
      quietSeconds: seconds,
      at: Stage,
      reply: HouseReply,
    })
    .optional(),
  /** a triplet of client, sender and recipient is taken when it comes again after that time, not sooner */
  greylist: z.strictObject({ seconds, reply: HouseReply }).optional(),
  /** says everything at this pace, without TLS */
  bytesPerSecond: count(1_000_000).optional(),
  /** the connection is cut: while the message comes, at its dot, or after it was stored but before the reply */
  cut: z.enum(['before-dot', 'at-dot', 'after-dot']).optional(),
  /** every reply has that many lines, with bytes that are no UTF-8 */
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
       * all at its address. `null`: takes no mail (RFC 7505). `backup`: a host where nobody listens, then its own.
       */
      mx: z.enum(['shared', 'each', 'null', 'backup']).default('shared'),
      /** its names are signed: answers have AD */
      secure: z.boolean().default(false),
      /**
       * What stands at `_25._tcp.<host>`: its key (3 1 1), its authority (2 0 1), another key, records that no client can
       * use, or name servers that fail.
       */
      tlsa: z.enum(['key', 'authority', 'bad', 'unusable', 'failing']).optional(),
      /** MTA-STS (RFC 8461); `gone`: the record is there and the policy is not; `other-host`: it names another host */
      sts: z.enum(['enforce', 'testing', 'none', 'gone', 'other-host']).optional(),
      /** another house whose host takes its mail */
      hostOf: z.string().max(63).optional(),
    })
    .default({ mx: 'shared', secure: false }),
});
export type HouseScript = z.infer<typeof HouseScript>;
export type HouseScriptInput = z.input<typeof HouseScript>;
