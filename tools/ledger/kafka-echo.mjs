// @ts-check
// A broker that repeats: each record comes up to two more times, seconds later and in another order, as from a producer that tries
// again what was written.
import { Kafka, logLevel } from 'kafkajs';

/** The share of the records that come again. */
const SHARE = 0.5;
const MOST_TIMES = 2;
const LATEST_MS = 8_000;
const EVERY_MS = 500;
const ECHO = 'echo';
/** Records that wait to be repeated; later ones are not. */
const MOST_WAITING = 20_000;

export class Echo {
  /** @type {Readonly<Record<string, string>>} */
  settings = {};
  /** @type {{ at: number, topic: string, partition: number, key: Buffer | null, value: Buffer | null }[]} */
  waiting = [];
  repeated = 0;
  /** @type {(() => Promise<unknown>)[]} */
  closing = [];

  /** @param {import('./system.mjs').System} system @returns {Promise<import('./system.mjs').System>} */
  async of(system) {
    const { brokers, topicPrefix } = system;
    if (brokers === undefined || topicPrefix === undefined) throw new Error('the brokers are not known');
    const kafka = new Kafka({ brokers: [...brokers], clientId: 'echo', logLevel: logLevel.NOTHING });
    const [consumer, producer, admin] = [
      kafka.consumer({ groupId: 'echo' }),
      kafka.producer(),
      kafka.admin(),
    ];
    for (const client of [admin, producer, consumer]) {
      await client.connect();
      this.closing.unshift(() => client.disconnect());
    }
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(topicPrefix));
    if (topics.length === 0) throw new Error('no topics to repeat');
    await consumer.subscribe({ topics });
    await consumer.run({
      eachMessage: async ({ topic, partition, message: { key, value, headers } }) =>
        this.take({ topic, partition, key, value, headers }),
    });
    const timer = setInterval(() => void this.say(producer), EVERY_MS);
    this.closing.unshift(async () => clearInterval(timer));
    return system;
  }

  /** @param {{ topic: string, partition: number, key: Buffer | null, value: Buffer | null, headers: object | undefined }} record */
  take({ headers, ...record }) {
    if (headers !== undefined && ECHO in headers) return;
    for (let nth = 0; nth < MOST_TIMES && Math.random() < SHARE && this.waiting.length < MOST_WAITING; nth++)
      this.waiting.push({ at: Date.now() + Math.random() * LATEST_MS, ...record });
  }

  /** @param {import('kafkajs').Producer} producer */
  async say(producer) {
    const now = Date.now();
    const due = this.waiting.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    this.waiting = this.waiting.filter(({ at }) => at > now);
    const topics = [...new Set(due.map(({ topic }) => topic))];
    const topicMessages = topics.map((topic) => ({
      topic,
      messages: due
        .filter((one) => one.topic === topic)
        .map(({ partition, key, value }) => ({ partition, key, value, headers: { [ECHO]: 'yes' } })),
    }));
    // a broker that is away repeats nothing
    const isSent = await producer.sendBatch({ topicMessages }).then(
      () => true,
      () => false,
    );
    if (isSent) this.repeated += due.length;
  }

  /** @throws Error when nothing was repeated: the run has proved nothing */
  async stop() {
    for (const close of this.closing) await close().catch(() => undefined);
    console.error(`  ${this.repeated} records of Kafka were repeated`);
    if (this.repeated === 0 && this.closing.length > 0) throw new Error('no record was repeated');
  }
}
