import { afterEach, beforeEach, describe } from 'vitest';
import type { BusDriver, BusWorld } from './bus-driver.js';
import { deliverySuite } from './delivery.suite.js';
import { membersSuite } from './members.suite.js';
import { redeliverySuite } from './redelivery.suite.js';

/** The promises of every driver of the event bus. A driver that passes may carry the events of production. */
export function describeEventBus(driver: BusDriver): void {
  describe(`event bus: ${driver.name}`, { timeout: 90_000 }, () => {
    let current: BusWorld;
    beforeEach(async () => {
      current = await driver.openWorld();
    });
    afterEach(() => current.close());
    const world = (): BusWorld => current;

    describe('delivery', () => deliverySuite(world));
    describe('redelivery', () => redeliverySuite(world));
    describe('members', () => membersSuite(world, driver.members));
  });
}
