// @ts-check
// The Kafka of a world, as its clients see it: topics, groups with their generations and committed offsets. Requests take time,
// some answers are lost, and some requests of a producer arrive twice or in part.
import { PARTITIONS_PER_STREAM } from '../../../libs/contracts/dist/index.js';
import { hashOf, randomOf } from '../random.mjs';
import { currentOwner } from '../virtual-time.mjs';

/** @typedef {{ key: string, value: string }} Message */
/** @typedef {{ topics: string[], beatAt: number, generation: number, joined: ((given: Given) => void) | undefined, fail: (error: Error) => void }} Member */
/** @typedef {{ generation: number, assignment: Record<string, number[]>, positions: Map<string, number> }} Given */
/** @typedef {{ generation: number, members: Map<string, Member>, committed: Map<string, number>, isPreparing: boolean, since: number }} Group */

const LOST = 0.02;
const SLOW = 0.05;
const TWICE = 0.04;
const PARTLY = 0.02;
/** A client gives a request up after this. */
const ANSWER_MS = 4_000;
const MOST_FETCHED = 6;
const LOOK_MS = 1_000;

/** @param {string} type @param {boolean} [retriable] */
const refusedBy = (type, retriable = true) =>
  Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type, retriable });
const unreachable = () =>
  Object.assign(new Error('connect ECONNREFUSED'), { name: 'KafkaJSConnectionError', retriable: true });
const unanswered = () =>
  Object.assign(new Error('Request timed out'), { name: 'KafkaJSRequestTimeoutError', retriable: true });

export class Broker {
  /** @type {Map<string, Message[][]>} partitions by topic */
  topics = new Map();
  /** @type {Map<string, Group>} */
  groups = new Map();
  /** @type {{ rule: string, what: string }[]} */
  breaches = [];
  isAway = false;
  /** offsets of a lost topic mean nothing in the next one */
  isLossy = false;
  members = 0;

  /** @param {import('../world.mjs').World<any>} world @param {{ seed: number, life: number }} plan @param {number} sessionMs @param {number} rebalanceMs */
  constructor(world, { seed, life }, sessionMs, rebalanceMs) {
    this.world = world;
    this.random = randomOf(seed, life, 'broker');
    this.sessionMs = sessionMs;
    this.rebalanceMs = rebalanceMs;
  }

  start() {
    this.world.time.after(LOOK_MS, () => {
      for (const group of this.groups.values()) this.lookAt(group);
      this.start();
    });
  }

  /**
   * A request of the process that runs now. It arrives whatever happens to the process.
   * @template T @param {() => T | Promise<T>} work @returns {Promise<T>}
   */
  ask(work) {
    const owner = currentOwner();
    const { random } = this;
    const { time } = this.world;
    return new Promise((resolve, reject) => {
      const answer = (/** @type {() => void} */ run, ms = random.between(1, 12)) =>
        void time.after(ms, run, owner);
      time.after(random.chance(SLOW) ? random.between(100, 2_500) : random.between(1, 12), () => {
        if (this.isAway) return answer(() => reject(unreachable()));
        const isLost = random.chance(LOST);
        return Promise.resolve()
          .then(work)
          .then(
            (result) =>
              isLost ? answer(() => reject(unanswered()), ANSWER_MS) : answer(() => resolve(result)),
            (error) => answer(() => reject(error)),
          );
      });
    });
  }

  /** @param {number} ms */
  away(ms) {
    this.isAway = true;
    this.world.time.after(ms, () => (this.isAway = false));
  }

  /** All topics are gone, and their offsets with them. @param {boolean} isWhole the groups as well: the broker comes back empty */
  lose(isWhole) {
    this.isLossy = true;
    this.topics.clear();
    for (const group of this.groups.values()) group.committed.clear();
    if (!isWhole) return;
    const members = [...this.groups.values()].flatMap((group) => [...group.members.values()]);
    this.groups.clear();
    for (const { fail } of members) fail(refusedBy('UNKNOWN_MEMBER_ID', false));
  }

  /** @param {string} topic */
  partitionsOf(topic) {
    const partitions = this.topics.get(topic);
    if (!partitions) throw refusedBy('UNKNOWN_TOPIC_OR_PARTITION');
    return partitions;
  }

  /** @param {string} topic */
  create(topic) {
    if (this.topics.has(topic)) return false;
    this.topics.set(
      topic,
      Array.from({ length: PARTITIONS_PER_STREAM }, () => []),
    );
    return true;
  }

  /** A client repeats a request without an answer, and its caller does when the client gives up. @param {readonly { topic: string, messages: readonly Message[] }[]} batches */
  produce(batches) {
    const times = this.random.chance(TWICE) ? 2 : 1;
    const isPart = this.random.chance(PARTLY);
    for (let time = 0; time < times; time++)
      for (const { topic, messages } of batches)
        for (const message of messages) {
          const partition = hashOf(message.key) % PARTITIONS_PER_STREAM;
          if (isPart && partition % 2 === 0) continue;
          this.partitionsOf(topic)[partition]?.push(message);
        }
    if (isPart) throw refusedBy('NOT_ENOUGH_REPLICAS');
  }

  /** @param {string} id @returns {Group} */
  groupOf(id) {
    const group = this.groups.get(id) ?? {
      ...{ generation: 0, members: new Map(), committed: new Map(), isPreparing: false, since: 0 },
    };
    this.groups.set(id, group);
    return group;
  }

  /** Answers when all members have joined again, or were given up. @param {string} id @param {string} memberId @param {string[]} topics @returns {Promise<Given>} */
  join(id, memberId, topics) {
    const group = this.groupOf(id);
    return new Promise((joined, fail) => {
      group.members.set(memberId, { topics, beatAt: this.world.time.now, generation: -1, joined, fail });
      this.prepare(group);
      this.lookAt(group);
    });
  }

  /** @param {Group} group */
  prepare(group) {
    if (!group.isPreparing) group.since = this.world.time.now;
    group.isPreparing = true;
  }

  /** @param {string} id */
  rebalance(id) {
    const group = this.groups.get(id);
    if (group && group.members.size > 0) this.prepare(group);
  }

  /** @param {Group} group */
  lookAt(group) {
    const { now } = this.world.time;
    for (const [id, { beatAt, joined }] of [...group.members]) {
      if (joined || now - beatAt <= this.sessionMs) continue;
      group.members.delete(id);
      this.prepare(group);
    }
    const members = [...group.members];
    const isLate = now - group.since > this.rebalanceMs;
    if (!group.isPreparing || !(isLate || members.every(([, { joined }]) => joined))) return;
    for (const [id, { joined }] of members) if (!joined) group.members.delete(id);
    group.isPreparing = false;
    group.generation++;
    this.assign(group);
  }

  /** @param {Group} group */
  assign(group) {
    const members = [...group.members.values()];
    members.forEach((member, nth) => {
      /** @type {Record<string, number[]>} */
      const assignment = {};
      /** @type {Map<string, number>} */
      const positions = new Map();
      for (const topic of member.topics) {
        const partitions = [...Array(PARTITIONS_PER_STREAM).keys()].filter(
          (one) => one % members.length === nth,
        );
        if (partitions.length > 0) assignment[topic] = partitions;
        for (const one of partitions)
          positions.set(`${topic}/${one}`, group.committed.get(`${topic}/${one}`) ?? -1);
      }
      member.generation = group.generation;
      member.beatAt = this.world.time.now;
      const { joined } = member;
      member.joined = undefined;
      joined?.({ generation: group.generation, assignment, positions });
    });
  }

  /** @param {string} id @param {string} memberId @param {number} generation @returns {Member} */
  memberOf(id, memberId, generation) {
    const member = this.groupOf(id).members.get(memberId);
    if (!member) throw refusedBy('UNKNOWN_MEMBER_ID', false);
    if (member.generation !== generation) throw refusedBy('ILLEGAL_GENERATION', false);
    return member;
  }

  /** @param {string} id @param {string} memberId @param {number} generation */
  beat(id, memberId, generation) {
    this.memberOf(id, memberId, generation).beatAt = this.world.time.now;
    if (this.groupOf(id).isPreparing) throw refusedBy('REBALANCE_IN_PROGRESS', false);
  }

  /** @param {string} id @param {string} memberId */
  leave(id, memberId) {
    const group = this.groupOf(id);
    if (!group.members.delete(memberId)) return;
    this.prepare(group);
    this.lookAt(group);
  }

  /** @param {string} id @param {string} memberId @param {number} generation @param {ReadonlyMap<string, number>} offsets */
  commit(id, memberId, generation, offsets) {
    this.memberOf(id, memberId, generation);
    const { committed } = this.groupOf(id);
    for (const [partition, offset] of offsets) {
      const before = committed.get(partition) ?? 0;
      if (offset < before && !this.isLossy)
        this.breaches.push({
          rule: 'backwards',
          what: `${id} goes back in ${partition} from ${before} to ${offset}`,
        });
      committed.set(partition, offset);
    }
  }

  /**
   * @param {ReadonlyMap<string, number>} positions
   * @returns {{ topic: string, partition: number, from: number, messages: Message[] }[]} a position behind the end begins anew
   */
  fetch(positions) {
    return [...positions].flatMap(([place, position]) => {
      const [topic = '', partition] = place.split('/');
      const records = this.partitionsOf(topic)[Number(partition)] ?? [];
      const from = position > records.length ? 0 : position;
      const messages = records.slice(from, from + this.random.between(1, MOST_FETCHED));
      return messages.length > 0 ? [{ topic, partition: Number(partition), from, messages }] : [];
    });
  }
}
