// @ts-check
/** In seconds; short enough that leases and replays end within a life. */
export const TIMES = { lease: 20, replay: 60, secretReplay: 15 };
