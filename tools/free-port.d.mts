/** A loopback port that is free at this moment, and given once by this process. */
export function freePort(): Promise<number>;
