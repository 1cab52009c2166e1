import { newId } from '@postmesh/contracts';
import { test } from 'vitest';
import { createKafkaBus } from '../src/index.js';
import { silentLogger, type EventBus } from '../src/event-bus.port.js';
import { kafkaClient, type KafkaBusOptions } from '../src/kafka/kafka-client.js';
import type { BusWorld } from './bus-driver.js';
import { describeEventBus } from './event-bus.conformance.js';
import { kafkaBrokers, leaveOutKafka } from './real-kafka.js';

// The least that brokers accept: a killed member is missed so much sooner.
const SESSION_MS = 6_000;

async function openWorld(): Promise<BusWorld> {
  const prefix = `t${newId()}.`;
  const options: KafkaBusOptions = {
    brokers: (kafkaBrokers ?? '').split(','),
    clientId: 'conformance',
    prefix,
    sessionTimeoutMs: SESSION_MS,
  };
  const buses: EventBus[] = [];
  const client = kafkaClient(options, silentLogger);
  const producer = client.producer();
  await producer.connect();
  return {
    connect: async () => {
      const bus = await createKafkaBus(options);
      buses.push(bus);
      return bus;
    },
    inject: async (stream, text) => {
      await producer.send({
        topic: `${prefix}${stream}`,
        acks: -1,
        messages: [{ key: 'injected', value: text }],
      });
    },
    forChild: () => ({ factory: 'createKafkaBus', options }),
    close: async () => {
      await Promise.all(buses.map((bus) => bus.close()));
      await producer.disconnect();
      const admin = client.admin();
      await admin.connect();
      const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
      await admin.deleteTopics({ topics });
      await admin.disconnect();
    },
  };
}

if (kafkaBrokers) {
  describeEventBus({ name: 'Kafka', members: 'share', openWorld });
} else {
  test('the event bus on Kafka keeps what every driver promises (needs brokers)', () =>
    leaveOutKafka('the conformance suite of the Kafka driver'));
}
