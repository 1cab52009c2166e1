/** How many more attempts may begin, for destinations that have some under way and for all others. */
export interface Rooms {
  readonly destinations: readonly string[];
  /** of the destinations, in their order */
  readonly rooms: readonly number[];
  /** of a destination that has none under way */
  readonly others: number;
}

/** Counts attempts per destination, so that slow destinations never take the whole worker. */
export class DestinationRooms {
  private readonly taken = new Map<string, number>();

  /** @param most attempts at once per destination, however free the worker is */
  constructor(private readonly most: number) {}

  take(destination: string): void {
    this.taken.set(destination, (this.taken.get(destination) ?? 0) + 1);
  }

  free(destination: string): void {
    const left = (this.taken.get(destination) ?? 1) - 1;
    if (left > 0) this.taken.set(destination, left);
    else this.taken.delete(destination);
  }

  /**
   * Nobody may have more places than stay free: with k slow destinations each gets a (k+1)th of the worker, and
   * as much stays for the others.
   * @param free places of the worker
   */
  rooms(free: number): Rooms {
    const room = (taken: number) => Math.max(0, Math.min(this.most - taken, Math.ceil((free - taken) / 2)));
    return {
      destinations: [...this.taken.keys()],
      rooms: [...this.taken.values()].map(room),
      others: room(0),
    };
  }
}
