import { readFileSync } from 'node:fs';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import shared from '../../vitest.config.js';

/** Files that share an installation have it in turns: between any two of them goes one with its own. */
class InTurns extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const sharing = sorted.filter(({ moduleId }) =>
      /sharedInstallation\(\)/.test(readFileSync(moduleId, 'utf8')),
    );
    const others = sorted.filter((file) => !sharing.includes(file));
    const longer = Math.max(sharing.length, others.length);
    return Array.from({ length: longer }, (_, at) => [others[at], sharing[at]])
      .flat()
      .filter((file) => file !== undefined);
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
