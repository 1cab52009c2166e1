// @ts-check
// In the place of `kafkajs`: the part of its clients that libs/events uses, in front of the broker of a world.
/** @type {import('./broker.mjs').Broker | undefined} */
let current;
/** @param {import('./broker.mjs').Broker} broker of clients from now on */
export const useBroker = (broker) => {
  current = broker;
};
const broker = () => /** @type {import('./broker.mjs').Broker} */ (current);
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const logLevel = { INFO: 4, ERROR: 1 };
export const Partitioners = { DefaultPartitioner: () => undefined };

export class Kafka {
  producer() {
    return new Producer();
  }
  admin() {
    return new Admin();
  }
  /** @param {{ groupId: string }} options */
  consumer({ groupId }) {
    return new Consumer(groupId);
  }
}

class Connected {
  async connect() {
    await broker().ask(() => undefined);
  }
  async disconnect() {}
}

class Producer extends Connected {
  /** @param {{ topicMessages: { topic: string, messages: { key: string, value: string }[] }[] }} batch */
  sendBatch({ topicMessages }) {
    return broker().ask(() => broker().produce(topicMessages));
  }
}

class Admin extends Connected {
  listTopics() {
    return broker().ask(() => [...broker().topics.keys()]);
  }
  /** @param {{ topics: { topic: string }[] }} wanted */
  createTopics({ topics }) {
    return broker().ask(() => topics.map(({ topic }) => broker().create(topic)).some(Boolean));
  }
  /** @param {string} topic */
  fetchTopicOffsets(topic) {
    return broker().ask(() =>
      broker()
        .partitionsOf(topic)
        .map(({ length }, partition) => ({ partition, offset: `${length}`, high: `${length}`, low: '0' })),
    );
  }
  listGroups() {
    return broker().ask(() => ({ groups: [...broker().groups.keys()].map((groupId) => ({ groupId })) }));
  }
  /** @param {{ groupId: string, topics?: string[] }} wanted */
  fetchOffsets({ groupId, topics }) {
    return broker().ask(() => {
      topics?.forEach((topic) => broker().partitionsOf(topic));
      return [...broker().groupOf(groupId).committed].flatMap(([place, offset]) => {
        const [topic = '', partition] = place.split('/');
        if (topics && !topics.includes(topic)) return [];
        return [{ topic, partitions: [{ partition: Number(partition), offset: `${offset}` }] }];
      });
    });
  }
  /** @param {{ groupId: string, topic: string, partitions: { partition: number, offset: string }[] }} wanted */
  setOffsets({ groupId, topic, partitions }) {
    return broker().ask(() => {
      broker().partitionsOf(topic);
      for (const { partition, offset } of partitions)
        broker().groupOf(groupId).committed.set(`${topic}/${partition}`, Number(offset));
    });
  }
}

/** It is of no use to its caller before the client has joined again. */
const REJOINS = new Set(['REBALANCE_IN_PROGRESS', 'UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION']);
const FETCH_WAIT_MS = 500;
const HEARTBEAT_MS = 1_000;
/** The client repeats a fetch whose batch failed so often; then it has crashed. */
const RETRIES = 2;

class Consumer extends Connected {
  events = { CRASH: 'crash', GROUP_JOIN: 'group-join', FETCH: 'fetch' };
  /** @type {[name: string, call: (event: any) => void][]} */
  listeners = [];
  /** @type {string[]} */
  topics = [];
  fromBeginning = false;
  isStopped = false;
  generation = -1;
  beatAt = 0;
  /** @type {Map<string, number>} next offsets, by partition */
  positions = new Map();
  running = Promise.resolve();

  /** @param {string} group */
  constructor(group) {
    super();
    this.group = group;
    this.id = `${group}-${broker().members++}`;
  }

  /** @param {string} name @param {(event: any) => void} call */
  on(name, call) {
    this.listeners.push([name, call]);
  }

  /** @param {string} name @param {object} payload */
  emit(name, payload) {
    for (const [of, call] of this.listeners) if (of === name) call({ payload });
  }

  /** @param {{ topics: string[], fromBeginning: boolean }} wanted */
  async subscribe({ topics, fromBeginning }) {
    await broker().ask(() => topics.forEach((topic) => broker().partitionsOf(topic)));
    this.topics = topics;
    this.fromBeginning = fromBeginning;
  }

  /** @param {{ eachBatch: (payload: any) => Promise<void> }} options */
  async run({ eachBatch }) {
    this.running = this.live(eachBatch);
  }

  /** @override */
  async disconnect() {
    this.isStopped = true;
    await this.running;
    await broker()
      .ask(() => broker().leave(this.group, this.id))
      .catch(() => undefined);
  }

  /** @param {(payload: any) => Promise<void>} eachBatch */
  async live(eachBatch) {
    let failures = 0;
    let isJoined = false;
    while (!this.isStopped) {
      try {
        if (!isJoined) await this.join();
        isJoined = true;
        await this.step(eachBatch);
        failures = 0;
      } catch (error) {
        isJoined &&= !REJOINS.has(error.type);
        if (!REJOINS.has(error.type) && ++failures > RETRIES) return this.emit(this.events.CRASH, { error });
        await pause(200);
      }
    }
  }

  async join() {
    const { group, id, topics } = this;
    const given = await broker().ask(() => broker().join(group, id, topics));
    this.generation = given.generation;
    const ends = await broker().ask(
      () =>
        new Map(
          topics.map((topic) => [
            topic,
            broker()
              .partitionsOf(topic)
              .map(({ length }) => length),
          ]),
        ),
    );
    this.positions = new Map(
      [...given.positions].map(([place, committed]) => {
        const [topic = '', partition] = place.split('/');
        const first = this.fromBeginning ? 0 : (ends.get(topic)?.[Number(partition)] ?? 0);
        return [place, committed < 0 ? first : committed];
      }),
    );
    this.emit(this.events.GROUP_JOIN, { memberAssignment: given.assignment });
  }

  /** One fetch, and the handling of all that it brought. @param {(payload: any) => Promise<void>} eachBatch */
  async step(eachBatch) {
    if (performance.now() - this.beatAt > HEARTBEAT_MS) await this.beat();
    const fetched = await broker().ask(() => broker().fetch(this.positions));
    this.emit(this.events.FETCH, {});
    if (fetched.length === 0) return void (await pause(FETCH_WAIT_MS));
    const ended = await Promise.allSettled(fetched.map((one) => eachBatch(this.payloadOf(one))));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async beat() {
    await broker().ask(() => broker().beat(this.group, this.id, this.generation));
    this.beatAt = performance.now();
  }

  /** @param {{ topic: string, partition: number, from: number, messages: { key: string, value: string }[] }} fetched */
  payloadOf({ topic, partition, from, messages }) {
    return {
      batch: {
        ...{ topic, partition },
        messages: messages.map(({ key, value }, nth) => ({
          offset: `${from + nth}`,
          key: Buffer.from(key),
          value: Buffer.from(value),
        })),
      },
      heartbeat: () => this.beat(),
      resolveOffset: (/** @type {string} */ offset) =>
        this.positions.set(`${topic}/${partition}`, Number(offset) + 1),
      commitOffsetsIfNecessary: (/** @type {Offsets} */ offsets) => this.commit(offsets),
    };
  }

  /** @typedef {{ topics: { topic: string, partitions: { partition: number, offset: string }[] }[] }} Offsets */
  /** @param {Offsets} offsets */
  async commit({ topics }) {
    const offsets = new Map(
      topics.flatMap(({ topic, partitions }) =>
        partitions.map(
          ({ partition, offset }) => /** @type {const} */ ([`${topic}/${partition}`, Number(offset)]),
        ),
      ),
    );
    const { group, id, generation } = this;
    await broker().ask(() => broker().commit(group, id, generation, offsets));
  }
}
