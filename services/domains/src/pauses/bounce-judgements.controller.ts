import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { BounceFigures, type BounceJudgements } from '@postmesh/messages-contract';
import { body, Internal } from '@postmesh/service-host';
import { JudgeBounces } from './judge-bounces.js';

@Internal()
@Controller('internal/bounce-judgements')
export class BounceJudgementsController {
  constructor(private readonly judgeBounces: JudgeBounces) {}

  @Post()
  @HttpCode(200)
  async judge(@Body(body(BounceFigures)) { figures }: BounceFigures): Promise<BounceJudgements> {
    return { count_since: await this.judgeBounces.judge(figures) };
  }
}
