const EVERY_MS = 5_000;

/**
 * A backend that is away makes each worker fail many times a second: one line in five seconds says as much.
 * @param report gets the error and how many were left out since the last one
 */
export function quietly(report: (error: Error, leftOut: number) => void): (error: Error) => void {
  let last = -Infinity;
  let leftOut = 0;
  return (error) => {
    if (performance.now() - last < EVERY_MS) {
      leftOut += 1;
      return;
    }
    report(error, leftOut);
    last = performance.now();
    leftOut = 0;
  };
}
