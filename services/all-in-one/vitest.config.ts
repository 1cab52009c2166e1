import { readFileSync } from 'node:fs';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import shared from '../../vitest.config.js';

/**
 * The runs of the ledger come first, one beside the other: they are the longest, and wait more than they work. Files that
 * share an installation have it in turns: between any two of them goes one with its own.
 */
class InTurns extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files);
    const ledgers = all.filter(({ moduleId }) => moduleId.endsWith('-ledger.spec.ts'));
    const sorted = all.filter((file) => !ledgers.includes(file));
    const sharing = sorted.filter(({ moduleId }) =>
      /sharedInstallation\(\)/.test(readFileSync(moduleId, 'utf8')),
    );
    const others = sorted.filter((file) => !sharing.includes(file));
    const longer = Math.max(sharing.length, others.length);
    const inTurns = Array.from({ length: longer }, (_, at) => [others[at], sharing[at]]).flat();
    return [...ledgers, ...inTurns].filter((file) => file !== undefined);
  }
}

// The contract files share two installations, started when they are asked for.
export default mergeConfig(shared, {
  test: {
    hookTimeout: 180_000,
    globalSetup: ['test/contract/shared-installations.ts'],
    sequence: { sequencer: InTurns },
  },
});
