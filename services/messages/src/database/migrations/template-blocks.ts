import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The blocks of a template of the editor `simple` (decision 126). The previous release writes copies without them: such a
 * draft keeps its HTML, and the block editor begins anew.
 */
export class TemplateBlocks1764100001810 implements MigrationInterface {
  name = 'TemplateBlocks1764100001810';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table template_copies add column design jsonb');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
