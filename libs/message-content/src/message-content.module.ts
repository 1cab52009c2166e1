import { Injectable, Module, type FactoryProvider, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { TemplateRenderer, type RenderedParts, type RenderJob } from '@postmesh/templates';
import { RecipientMessages } from './recipient-messages.js';

/** Renders in its own threads, until no request waits any more. */
@Injectable()
export class MessageRenderer extends TemplateRenderer implements OnApplicationShutdown {
  private readonly compilations;
  private counted = 0;

  constructor(metrics: Metrics) {
    super();
    this.compilations = metrics.counter(
      'postmesh_templates_compiled_total',
      'Templates that were compiled; those of a campaign are once, however many recipients it has',
    );
  }

  override async render(job: RenderJob): Promise<RenderedParts[]> {
    const results = await super.render(job);
    this.compilations.inc(this.compiled - this.counted);
    this.counted = this.compiled;
    return results;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

const RECIPIENT_MESSAGES: FactoryProvider<RecipientMessages> = {
  provide: RecipientMessages,
  inject: [MessageRenderer, SETTINGS],
  useFactory: (renderer: MessageRenderer, settings: Settings) => new RecipientMessages(renderer, settings),
};

/** The one renderer of a service, and the messages that are made with it. */
@Module({
  providers: [MessageRenderer, RECIPIENT_MESSAGES],
  exports: [MessageRenderer, RecipientMessages],
})
export class MessageContentModule {}
