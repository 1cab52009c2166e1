import type { Stream } from '@postmesh/contracts';
import type { EventBus } from '../src/event-bus.port.js';

/** The suite's view of a driver: isolated worlds. */
export interface BusDriver {
  name: string;
  /** how the members of one group have its events: partition by partition, or one member all of them */
  members: 'share' | 'take turns';
  /** An empty store of its own for one test. */
  openWorld(): Promise<BusWorld>;
}

export interface BusWorld {
  /** Another bus on the same store, as another process would have. The world closes it. */
  connect(): Promise<EventBus>;
  /** Puts a record that no publisher would write behind what is there. */
  inject(stream: Stream, text: string): Promise<void>;
  /** The arguments that connect `killed-member.mjs` from a process of its own. */
  forChild(): { factory: 'createEmbeddedBus' | 'createKafkaBus'; options: object };
  close(): Promise<void>;
}
