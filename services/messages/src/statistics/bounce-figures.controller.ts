import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { BounceFiguresRequest, type BounceFigures } from '@postmesh/messages-contract';
import { body, Internal } from '@postmesh/service-host';
import { BounceCounts } from './bounce-counts.js';

/** For a domains service of the previous release, which pulls figures; to be removed in the next release. */
@Internal()
@Controller('internal/bounce-figures')
export class BounceFiguresController {
  constructor(private readonly counts: BounceCounts) {}

  @Post()
  @HttpCode(200)
  async figures(@Body(body(BounceFiguresRequest)) input: BounceFiguresRequest): Promise<BounceFigures> {
    return {
      figures: await (input.domains ? this.counts.since(input.domains) : this.counts.most(input)),
    };
  }
}
