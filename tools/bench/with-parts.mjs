import { LoadGenerator, Sink } from './parts.mjs';
import { Stack } from './stack.mjs';

/**
 * Starts a sink, a system of its own and a load generator, has the work done, and stops all three.
 * @param about `tls`; `note` takes what is known of the database
 * @param {(parts: {sink: Sink, stack: Stack, generator: LoadGenerator}) => Promise<object>} work
 * @throws Error of the work; with Postmesh's last words where it had ended
 */
export async function withParts({ tls, note }, work) {
  const sink = await Sink.start({ tls });
  try {
    const stack = await Stack.start({ sinkPort: sink.port });
    const generator = new LoadGenerator();
    try {
      note({ postgres: await stack.databaseFacts() });
      return await work({ sink, stack, generator });
    } catch (error) {
      throw stack.explain(error);
    } finally {
      await generator.stop();
      await stack.stop();
    }
  } finally {
    await sink.stop();
  }
}
