import { Module } from '@nestjs/common';
import { MxModule } from '../mx/mx.module.js';
import { ShapingModule } from '../shaping/shaping.module.js';
import { WarmUpModule } from '../warm-up/warm-up.module.js';
import { WaysModule } from '../ways/ways.module.js';
import { ExplainController } from './explain.controller.js';
import { ExplainGroup } from './explain-group.js';

/** Why mail to a provider is not faster, for operators. */
@Module({
  imports: [MxModule, ShapingModule, WarmUpModule, WaysModule],
  controllers: [ExplainController],
  providers: [ExplainGroup],
})
export class ExplainModule {}
