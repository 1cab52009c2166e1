// The child's side of worker.mjs.

/** Does the jobs that the bench asks for. @param {Record<string, (job: object) => unknown>} doers */
export function serveJobs(doers) {
  process.on('message', async ({ job, input }) => {
    try {
      process.send({ job, result: (await doers[job](input)) ?? null });
    } catch (error) {
      process.send({ job, failure: error instanceof Error ? error.message : String(error) });
    }
  });
  process.once('disconnect', () => process.exit());
}
